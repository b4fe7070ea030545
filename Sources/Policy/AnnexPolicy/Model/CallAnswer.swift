/// What a call gets.
public enum CallAnswer: Sendable, Hashable {
    case allow
    /// The call fails with `errno`, without having been done; libraries merely probe when it is not `reported`.
    case refuse(errno: Int32, reported: Bool)
    /// Only an attack makes this call: it is reported and the process is ended.
    case end
    /// The process ends itself by `abort()`: the kernel would drop the signal of a namespace's first process, so that
    /// the broker ends it and says so.
    case aborting
}
