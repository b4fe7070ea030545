extension Lifecycle {
    package enum State: Sendable, Equatable {
        /// The launch was not requested yet.
        case new
        /// The launch waits for an instance slot.
        case waiting
        /// The slot is granted, and the extension has not yet said hello. A program needs no slot, and its own code does
        /// not run yet.
        case launching
        /// The extension has said hello, and serves the host. Or the program runs.
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
    }

    /// An input of the state machine.
    package enum Input: Sendable, Equatable {
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
        /// The host does not need the extension any longer: `completed`, `cancelled` or `memoryPressure`. Or the program
        /// was asked to end, as by SIGTERM.
        case dismissed(EndCause)
        /// This process may be stopped from now on. Meanwhile, a helper process (the stand-in) kills the program at its
        /// time limit.
        case standInTook
        /// The extension's side of the channel is closed. This also happens when the extension's process ends.
        case channelClosed
        /// The extension must end at once, for this cause.
        case mustEnd(EndCause)
        /// The kernel has reported the process's death. Annex examines its remains, and `gone` follows.
        case died
        /// All facts about the process's end are known, or the launch failed and there will be no process.
        case gone
        /// The moment of the last `wake` has come. If this input comes at any other moment, it has no effect.
        case clock
    }

    /// The time limits, and the checks that happen at a planned moment.
    enum Limit: Int, Sendable, Hashable, CaseIterable {
        case slot, queue, launch, request, watchdog, measurement, warning, grace, silence, death
    }

    /// An effect for the caller to perform. The caller performs the effects in their order.
    package enum Effect: Sendable, Equatable {
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
