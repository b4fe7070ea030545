extension Termination {
    /// Why an extension ended. Reports on disk use the raw values.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// The extension answered, and ended within its grace or when the grace was over.
        case completed
        /// The extension ended its request with an error, or the host cancelled.
        case cancelled
        /// The extension's process exited before it answered.
        case exited
        /// A signal ended the process.
        case crashed
        /// The extension used more memory than its extension point allows.
        case memoryLimit
        /// The extension was not ready in time.
        case launchLimit
        /// The request took longer than the host allows.
        case timeLimit
        /// The extension used more processor time than its limit allows.
        case processorLimit
        /// The extension wrote more to its private directory than its limit allows.
        case diskLimit
        /// The extension wrote more output than its limit allows.
        case outputLimit
        /// The extension sent more messages than its budget allows.
        case messageBudget
        /// The extension was still at work when the grace after its answer was over.
        case graceExpired
        /// The extension did not answer the watchdog.
        case unresponsive
        /// The kernel cannot end the process, because it is in an uninterruptible sleep.
        case stuck
        /// The extension made a system call that only an attack makes, or had more denied calls than its limit
        /// `refusals` allows.
        case deniedOperation
        /// The extension broke the rules of the channel.
        case protocolViolation
        /// The host program ended or closed its connection.
        case hostGone
        /// The user disabled the extension.
        case disabled
        /// The extension's app was removed, or its new version no longer contains the extension.
        case removed
        /// The broker was stopped.
        case brokerShutdown
        /// The extension never ran, because a step of its launch failed.
        case launchFailed
    }
}
