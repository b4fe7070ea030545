internal import AnnexBrokerAPI
internal import AnnexLaunch

extension Lifecycle {
    enum State: Sendable, Equatable {
        /// No host has asked for the extension yet.
        case new
        /// The launch waits for an instance slot.
        case waiting
        /// The slot is granted, and the extension has not yet said hello.
        case launching
        /// The extension has said hello, and serves the host.
        case serving
        /// The host has finished with the extension. The extension may tidy up until its grace ends.
        case tidying(EndCause)
        /// The extension is being killed, and the kernel has not yet reported its end.
        case ending(EndCause)
        case ended
    }

    /// The finished parts of a launch. The warden reports that the program runs, and the program itself says hello.
    /// These two messages arrive by different paths, in either order.
    struct Progress: OptionSet, Sendable, Equatable {
        let rawValue: Int

        static let started = Progress(rawValue: 1)
        static let executed = Progress(rawValue: 2)
        static let saidHello = Progress(rawValue: 4)
        static let ready: Progress = [.executed, .saidHello]
    }

    /// An input of the state machine.
    enum Input: Sendable, Equatable {
        /// A launch was requested.
        case asked
        case slotGranted
        /// The process exists, but none of its own code runs yet.
        case started
        /// The extension's own code runs.
        case executed
        case saidHello
        /// A request was sent. The host gives each request to this extension a number of its own.
        case requestBegan(UInt64)
        /// The request was answered, or the host stopped waiting for it.
        case requestEnded(UInt64)
        /// The extension answered a ping.
        case gaveSign
        /// The host has passed the last ping on to the extension.
        case pingPassedOn
        /// The extension began an activity that it wants to finish before its end.
        case activityBegan
        case activityEnded
        /// The measured memory use, in bytes.
        case memoryUsed(UInt64)
        /// The host does not need the extension any longer: `completed`, `cancelled` or `memoryPressure`.
        case dismissed(EndCause)
        /// The extension's side of the channel is closed. This also happens when the extension's process ends.
        case channelClosed
        /// The extension must end at once, for this cause.
        case mustEnd(EndCause)
        /// The kernel has reported the process's end, or the launch failed and there will be no process.
        case gone
        /// The moment of the last `wake` has come. If this input comes at any other moment, it has no effect.
        case clock
    }

    /// The time limits, and the checks that happen at a planned moment.
    enum Limit: Int, Sendable, Hashable, CaseIterable {
        case slot, queue, launch, request, watchdog, measurement, warning, grace, silence, death
    }

    /// An effect for the caller to perform. The caller performs the effects in their order.
    enum Effect: Sendable, Equatable {
        /// Ask for an instance slot. The input `slotGranted` follows at once, later or never.
        case askForSlot
        /// Give the plan to the warden.
        case launch
        /// Send the input `clock` at this moment. This moment replaces the moment of an earlier `wake`. If the moment
        /// is nil, no `clock` input is needed any more.
        case wake(Moment?)
        /// Report to the host that the extension is ready.
        case announce
        /// Ask the extension for a sign of life.
        case ping
        /// Find out whether the machine gave the process too little time for its launch. The process still exists.
        case measureStarvation
        /// Measure how much memory the extension uses. The input `memoryUsed` follows.
        case measureMemory
        /// Warn the extension that it is close to its memory limit.
        case warnOfMemory
        /// Inform the extension that the session is over.
        case sayGoodbye
        /// Warn the extension that its grace is about to end.
        case warnOfEnd
        case kill
        /// Give the slot back, or stop waiting for one.
        case giveBackSlot
        /// Publish the end. If the cause is nil, the reason follows from the kernel's report on the process.
        case finish(EndCause?)
    }
}

/// Why the broker ends an extension. If the broker did not end the extension, there is no cause. In that case, the
/// reason of the end follows from the kernel's report on the process.
indirect enum EndCause: Sendable, Equatable {
    case completed
    case cancelled
    /// The extension was parked, and the machine is short of memory.
    case memoryPressure
    /// No instance slot became free while the launch was allowed to wait.
    case noSlot
    /// The warden did not answer, so there may be no process.
    case unanswered
    case launchLimit
    case timeLimit
    case outputLimit
    /// The private directory is larger than the policy allows. The text says which limit is exceeded.
    case diskLimit(String)
    /// The extension gave no sign of life while a request was open.
    case unresponsive
    /// The session was completed and the grace is over, but the extension has not finished its activities.
    case graceExpired
    /// The extension was killed for another cause, and the kernel has not reported its end.
    case stuck(after: EndCause)
    /// The extension closed its end of the channel and did not exit.
    case silence
    /// The extension called `abort()`. The first process of a PID namespace ignores a SIGABRT that it sends to itself.
    /// So the signal does not end the process, and the broker must detect the call.
    case aborted
    /// The extension made a denied call that only an attack makes, or had more denials than the policy allows.
    case deniedOperation(Denial)
    case messageBudget(String)
    case protocolViolation(String)
    case hostGone
    case disabled
    case removed
    case brokerShutdown

    /// Whether the extension itself caused the end. The value is false if a host, a user, the broker or the machine
    /// caused it.
    var isTheExtensions: Bool {
        switch self {
        case .completed, .cancelled, .memoryPressure, .noSlot, .unanswered, .hostGone, .disabled, .removed,
            .brokerShutdown:
            false
        default: true
        }
    }
}

extension EndCause {
    init(_ dismissal: Dismissal) {
        switch dismissal {
        case .cancelled: self = .cancelled
        case .completed: self = .completed
        case .memoryPressure: self = .memoryPressure
        }
    }
}
