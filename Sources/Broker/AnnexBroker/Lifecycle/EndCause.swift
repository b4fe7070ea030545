internal import AnnexSandbox

/// Why the broker ends an extension; where it does not, the kernel's own facts are the reason.
indirect enum EndCause: Sendable, Equatable {
    case completed
    case cancelled
    /// As many as may run at once ran for as long as it waited.
    case noPlace
    /// The warden said nothing: there may be no process.
    case unanswered
    case launchLimit
    case timeLimit
    case outputLimit
    /// It gave no sign of life while it was at work.
    case unresponsive
    /// Its host had its answer, its grace is over, and it has not ended what it began.
    case graceExpired
    /// It was killed for another cause, and the kernel does not say that it is gone.
    case stuck(after: EndCause)
    /// It closed its end of the channel and lived on.
    case silence
    /// `abort()`: the first process of a namespace ignores its own SIGABRT, so its call is noticed instead.
    case aborted
    /// A refused call that only an attack makes, or one refusal too many.
    case deniedOperation(Denial)
    case messageBudget(String)
    case protocolViolation(String)
    case hostGone
    case disabled
    case removed
    case brokerShutdown

    /// Whether it is something that the extension did or failed to do, and not somebody else's wish.
    var isTheExtensions: Bool {
        switch self {
        case .completed, .cancelled, .noPlace, .unanswered, .hostGone, .disabled, .removed, .brokerShutdown: false
        default: true
        }
    }
}
