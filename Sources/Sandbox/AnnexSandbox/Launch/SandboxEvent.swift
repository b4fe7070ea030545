/// What a sandbox tells while it lives, in this order; `ended` is the last word and comes exactly once.
package enum SandboxEvent: Sendable {
    /// The process exists, under this number; none of its own code runs yet.
    case started(process: Int32)
    /// Its own code runs.
    case executed(SandboxReport)
    /// A call was refused; `total` counts all refusals of this process.
    case denied(Denial, total: Int)
    /// It called `abort()`.
    case aborted
    /// It wrote to its output; `total` bytes in all.
    case wrote(total: UInt64)
    /// A signal stopped the program, which waits to be continued; with a reaper only.
    case stopped(signal: Int32)
    /// The kernel said that it is gone. What it left is looked at, and `ended` follows.
    case died
    case ended(SandboxEnd)
}
