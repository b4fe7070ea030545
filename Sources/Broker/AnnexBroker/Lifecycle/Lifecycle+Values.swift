extension Lifecycle {
    enum State: Sendable, Equatable {
        /// Nothing has been asked yet.
        case new
        /// For a place among those that run at once.
        case waiting
        /// From the place to the extension's hello.
        case launching
        /// It said hello, and serves the host.
        case serving
        /// The host is done with it; it has its grace to tidy up in.
        case tidying(EndCause)
        /// It is being killed; only the kernel's word that it is gone is awaited.
        case ending(EndCause)
        case ended
    }

    /// What is there of a launch. The warden's word that the program runs and the program's own hello come by two
    /// ways, and either may be first.
    struct Progress: OptionSet, Sendable, Equatable {
        let rawValue: Int

        static let started = Progress(rawValue: 1)
        static let executed = Progress(rawValue: 2)
        static let saidHello = Progress(rawValue: 4)
        static let ready: Progress = [.executed, .saidHello]
    }

    /// What happens to it.
    enum Input: Sendable, Equatable {
        /// Somebody wants it to run.
        case asked
        case placeGranted
        /// The process exists; none of its own code runs yet.
        case started
        /// Its own code runs.
        case executed
        case saidHello
        /// A request was sent, under a number that its host gives no other of this extension.
        case requestBegan(UInt64)
        /// It was answered or given up.
        case requestEnded(UInt64)
        /// It answered a ping.
        case gaveSign
        /// Its host has passed the last ping on to it.
        case pingPassedOn
        /// It began something that it would like to end before it is ended.
        case activityBegan
        case activityEnded
        /// What a look at its memory found, in bytes.
        case memoryUsed(UInt64)
        /// The host needs it no longer: completed or cancelled.
        case dismissed(EndCause)
        /// Its end of the channel is closed, as it is when it ends.
        case channelClosed
        /// Something that no extension survives.
        case mustEnd(EndCause)
        /// The kernel's last word; or there never was a process, and never will be.
        case gone
        /// The moment of the last `wake` has come, or any other.
        case clock
    }

    /// What ends, and what is looked after, at a moment of its own.
    enum Limit: Int, Sendable, Hashable, CaseIterable {
        case place, queue, launch, request, watchdog, look, warning, grace, silence, death
    }

    /// What is to be done about it, in this order.
    enum Effect: Sendable, Equatable {
        /// Ask for a place; `placeGranted` follows, at once or later or never.
        case askForPlace
        /// Hand the plan to the warden.
        case launch
        /// Feed `clock` at this moment, and at no other that was said before; nil: at none.
        case wake(Moment?)
        /// Tell the host that the extension is ready.
        case announce
        /// Ask the extension for a sign of life.
        case ping
        /// Look how much memory it uses; `memoryUsed` follows.
        case lookAtMemory
        /// Tell the extension that its memory runs out.
        case warnOfMemory
        /// Tell the extension that its work is over.
        case sayGoodbye
        /// Tell the extension that its grace runs out.
        case warnOfEnd
        case kill
        /// Let another one have the place, or stop asking for it.
        case giveBackPlace
        /// Publish the end. Without a cause the kernel's own facts are the reason.
        case finish(EndCause?)
    }
}
