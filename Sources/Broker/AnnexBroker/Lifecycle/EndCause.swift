internal import AnnexLaunch

/// Why the broker ends an extension. If the broker does not end it, the kernel's facts give the reason.
indirect enum EndCause: Sendable, Equatable {
    case completed
    case cancelled
    /// No instance slot became free for as long as the launch may wait.
    case noPlace
    /// The warden did not answer, so there may be no process.
    case unanswered
    case launchLimit
    case timeLimit
    case outputLimit
    /// The extension gave no sign of life while a request was open.
    case unresponsive
    /// The session was completed, the grace is over, and the extension has not finished its activities.
    case graceExpired
    /// The extension was killed for another cause, and the kernel has not reported its end.
    case stuck(after: EndCause)
    /// The extension closed its end of the channel and lived on.
    case silence
    /// The extension called `abort()`. The first process of a namespace ignores its own SIGABRT, so the broker detects
    /// the call.
    case aborted
    /// A denied call that only an attack makes, or one denial too many.
    case deniedOperation(Denial)
    case messageBudget(String)
    case protocolViolation(String)
    case hostGone
    case disabled
    case removed
    case brokerShutdown

    /// Whether the extension itself caused the end, rather than a host, a user, the broker or the machine.
    var isTheExtensions: Bool {
        switch self {
        case .completed, .cancelled, .noPlace, .unanswered, .hostGone, .disabled, .removed, .brokerShutdown: false
        default: true
        }
    }
}
