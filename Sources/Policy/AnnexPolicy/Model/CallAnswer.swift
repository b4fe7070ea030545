/// How a policy answers a system call.
public enum CallAnswer: Sendable, Hashable {
    case allow
    /// The call fails with `errno` and has no effect. If `reported` is false, the failure is not recorded: libraries
    /// make such calls only to probe the kernel.
    case refuse(errno: Int32, reported: Bool)
    /// The call is reported and the process is ended: only an attack makes this call.
    case end
    /// The process calls `abort()` to end itself, and the broker ends and reports it. The kernel would drop the signal,
    /// because the process is the first of its namespace.
    case aborting
}
