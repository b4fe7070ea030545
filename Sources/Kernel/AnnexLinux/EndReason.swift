/// Why a sandboxed process ended. The process is an extension of a host or a program of `annex run`. Reports and
/// `annexd` use the raw values.
///
/// The type is declared in this target because an extension links it too, and no extension links the code that decides
/// a reason.
public enum EndReason: String, Sendable, Hashable, Codable, CaseIterable {
    /// The extension answered. Afterwards its process ended within the grace, or was ended when the grace was
    /// over.
    case completed
    /// The extension ended its request with an error, or the host no longer wanted the extension. A program was asked to
    /// end, but did not end within its grace, and was killed.
    case cancelled
    /// The process ended by itself, with its own exit code. An extension had not answered.
    case exited
    /// A signal that Annex did not send ended the process, or the process called `abort()`.
    case crashed
    /// The process used more memory than its limit allows.
    case memoryLimit
    /// The extension was not ready in time, or the program's own code did not run in time.
    case launchLimit
    /// The request took longer than the host allows, or the program ran longer than its limit allows.
    case timeLimit
    /// The process used more processor time than its limit allows.
    case processorLimit
    /// More was written to a private directory, to another directory with a limit or to an app group than is allowed,
    /// or the file system has too little free space left.
    case diskLimit
    /// The process wrote more output than its limit allows.
    case outputLimit
    /// The extension sent more messages than its budget allows.
    case messageBudget
    /// The extension was still working when the grace after its answer was over.
    case graceExpired
    /// The extension did not answer the watchdog.
    case unresponsive
    /// The kernel cannot end the process, because it is in an uninterruptible sleep.
    case stuck
    /// The process made a system call that only an attack makes, or had more denied calls than its limit `denials`
    /// allows.
    case deniedOperation
    /// The extension broke the rules of the channel.
    case protocolViolation
    /// The extension was parked for later requests, and the system was short of memory.
    case memoryPressure
    /// The host program ended or closed its connection.
    case hostGone
    /// The user disabled the extension.
    case disabled
    /// The extension's app was removed, or a new version of the app no longer contains the extension.
    case removed
    /// The broker was stopped, or the warden, which builds sandboxes, was ended.
    case brokerShutdown
    /// The process never ran its own code, because a step of its launch failed.
    case launchFailed

    /// Whether the host, the user, the broker or the machine asked for the end, so that the process did nothing wrong.
    package var isRequested: Bool {
        switch self {
        case .completed, .cancelled, .memoryPressure, .hostGone, .disabled, .removed, .brokerShutdown: true
        case .exited, .crashed, .memoryLimit, .launchLimit, .timeLimit, .processorLimit, .diskLimit, .outputLimit,
            .messageBudget, .graceExpired, .unresponsive, .stuck, .deniedOperation, .protocolViolation, .launchFailed:
            false
        }
    }
}
