internal import AnnexSandbox

/// Why the broker ends an extension; where it does not, the kernel's own facts are the reason.
enum EndCause: Sendable, Equatable {
    case completed
    case cancelled
    case launchLimit
    case timeLimit
    case outputLimit
    case brokerShutdown
    /// The warden said nothing: there may be no process.
    case unanswered
    /// It was killed, and the kernel does not say that it is gone.
    case stuck
    /// It closed its end of the channel and lived on.
    case silence
    /// `abort()`: the first process of a namespace ignores its own SIGABRT, so its call is noticed instead.
    case aborted
    /// A refused call that only an attack makes, or one refusal too many.
    case deniedOperation(Denial)
    case messageBudget(String)
    case protocolViolation(String)
}
