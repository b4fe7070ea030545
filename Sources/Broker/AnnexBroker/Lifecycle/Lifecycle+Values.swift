internal import AnnexBrokerAPI
internal import AnnexLaunch

extension Lifecycle {
    enum State: Sendable, Equatable {
        /// The extension was not asked for yet.
        case new
        /// The launch waits for an instance slot.
        case waiting
        /// From the grant of the slot to the extension's hello.
        case launching
        /// The extension has said hello, and serves the host.
        case serving
        /// The host has finished with the extension, which may tidy up until its grace ends.
        case tidying(EndCause)
        /// The extension is being killed; the kernel's report of its end is awaited.
        case ending(EndCause)
        case ended
    }

    /// The parts of a launch that are done. The warden reports that the program runs, and the program says hello
    /// itself. The two arrive by different paths, in either order.
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
        /// The process exists; none of its own code runs yet.
        case started
        /// The extension's own code runs.
        case executed
        case saidHello
        /// A request was sent. The host gives no other request of this extension the same number.
        case requestBegan(UInt64)
        /// The request was answered, or the host stopped waiting for it.
        case requestEnded(UInt64)
        /// The extension answered a ping.
        case gaveSign
        /// The host has passed the last ping on to the extension.
        case pingPassedOn
        /// The extension began an activity that it wants to finish before it is ended.
        case activityBegan
        case activityEnded
        /// The measured memory use, in bytes.
        case memoryUsed(UInt64)
        /// The host does not need the extension any longer: `completed`, `cancelled` or `memoryPressure`.
        case dismissed(EndCause)
        /// The extension's side of the channel is closed. This also happens when the extension's process ends.
        case channelClosed
        /// The extension must be ended at once, for this cause.
        case mustEnd(EndCause)
        /// The kernel has reported the process's end, or there is no process and never will be one.
        case gone
        /// The moment of the last `wake` has come. The input is harmless at any other moment.
        case clock
    }

    /// The time limits, and the checks that happen at a set moment.
    enum Limit: Int, Sendable, Hashable, CaseIterable {
        case slot, queue, launch, request, watchdog, measurement, warning, grace, silence, death
    }

    /// An effect for the caller to perform, in the given order.
    enum Effect: Sendable, Equatable {
        /// Ask for an instance slot. `slotGranted` follows at once, later or never.
        case askForSlot
        /// Give the plan to the warden.
        case launch
        /// Send the input `clock` at this moment. It replaces the moment of an earlier `wake`; nil cancels that moment.
        case wake(Moment?)
        /// Report to the host that the extension is ready.
        case announce
        /// Ask the extension for a sign of life.
        case ping
        /// Measure how much memory the extension uses; `memoryUsed` follows.
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
        /// Publish the end. Without a cause, the kernel's facts give the reason.
        case finish(EndCause?)
    }
}

/// Why the broker ends an extension. If the broker does not end it, the kernel's facts give the reason.
indirect enum EndCause: Sendable, Equatable {
    case completed
    case cancelled
    /// The extension was parked, and the machine is short of memory.
    case memoryPressure
    /// No instance slot became free for as long as the launch may wait.
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
    /// The session was completed, the grace is over, and the extension has not finished its activities.
    case graceExpired
    /// The extension was killed for another cause, and the kernel has not reported its end.
    case stuck(after: EndCause)
    /// The extension closed its end of the channel and lived on.
    case silence
    /// The extension called `abort()`. The first process of a namespace ignores its own SIGABRT, so the broker detects
    /// the call.
    case aborted
    /// A denied call that only an attack makes, or more denials than the policy allows.
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
