extension Termination {
    /// Why an extension ended. The raw values are what reports on disk say.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// It answered, and was ended after its grace.
        case completed
        /// It gave up with an error, or the host cancelled.
        case cancelled
        /// It left by itself before it answered.
        case exited
        /// A signal ended it.
        case crashed
        /// It used more memory than its extension point allows.
        case memoryLimit
        /// It was not ready in time.
        case launchLimit
        /// The request took longer than the host allows.
        case timeLimit
        /// It used more processor time than it may.
        case processorLimit
        /// It wrote more to its private directory than it may.
        case diskLimit
        /// It wrote more output than it may.
        case outputLimit
        /// It sent more messages than it may.
        case messageBudget
        /// It was still at work when the time after its answer was up.
        case graceExpired
        /// It did not answer the watchdog.
        case unresponsive
        /// The kernel cannot end it: it sits in a sleep that no signal reaches.
        case stuck
        /// It called what only an attack calls.
        case deniedOperation
        /// It broke the rules of the channel.
        case protocolViolation
        /// The host program went away.
        case hostGone
        /// The user switched it off.
        case disabled
        /// Its app was removed.
        case removed
        /// The broker was told to stop.
        case brokerShutdown
        /// It never ran: a step of its launch failed.
        case launchFailed
    }
}
