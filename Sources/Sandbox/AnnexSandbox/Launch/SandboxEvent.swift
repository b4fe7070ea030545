/// What happens to a sandbox, in this order. `ended` is the last event and comes exactly once.
package enum SandboxEvent: Sendable {
    /// The process exists and has this number; none of its own code runs yet.
    case started(process: Int32)
    /// The process's own code runs.
    case executed(SandboxReport)
    /// A call was denied; `total` counts all denials of this sandbox.
    case denied(Denial, total: Int)
    /// The process called `abort()`.
    case aborted
    /// The process wrote to its output; `total` counts the bytes so far.
    case wrote(total: UInt64)
    /// A signal stopped the program, which waits to be continued. Only with a reaper.
    case stopped(signal: Int32)
    /// The kernel reported the death. What the sandbox left behind is examined, and `ended` follows.
    case died
    case ended(SandboxEnd)
}
