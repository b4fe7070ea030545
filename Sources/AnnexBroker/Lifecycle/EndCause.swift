internal import AnnexSandbox

/// Why the broker ends an extension; where it does not, the kernel's own facts are the reason.
enum EndCause: Sendable, Equatable {
    case completed
    case cancelled
    /// The warden made no process of the plan in time.
    case neverStarted
    case launchLimit
    case timeLimit
    case outputLimit
    case brokerShutdown
    /// `abort()`: the first process of a namespace ignores its own SIGABRT, so its call is noticed instead.
    case aborted
    /// A refused call that only an attack makes, or one refusal too many.
    case deniedOperation(Denial)
    case messageBudget(String)
    case protocolViolation(String)
    /// It closed its end of the channel and lived on.
    case silence
    /// It was killed, and is not gone.
    case stuck
}
