/// How a program's run ended, and everything that is known about it: a value for people and for programs.
public struct SandboxRunReport: Sendable, Hashable, Codable {
    /// Why it ended; the words are those of an extension's end.
    public enum Reason: String, Sendable, Hashable, Codable, CaseIterable {
        /// It ended by itself, with an exit code of its own.
        case exited
        /// A signal ended it that Annex did not send.
        case crashed
        /// It was asked to end, did not, and was killed.
        case cancelled
        case memoryLimit, launchLimit, timeLimit, processorLimit, diskLimit, outputLimit
        /// It called what only an attack calls, or asked for refused calls more often than it may.
        case deniedOperation
        /// The kernel cannot end it: it sits in a sleep that no signal reaches.
        case stuck
        /// Something ended the process that makes sandboxes, and with it the program.
        case brokerShutdown
        /// It never ran: a step of its launch failed.
        case launchFailed
    }

    /// One step of the launch and how long it took.
    public struct Step: Sendable, Hashable, Codable {
        public let name: String
        public let microseconds: Double
    }

    /// A layer that was left out.
    public struct Waiver: Sendable, Hashable, Codable {
        public let layer: String
        /// Why this machine cannot give it; nil where the policy itself goes without.
        public let cause: String?
        public let remedy: String?
    }

    public let program: [String]
    public let policy: String
    public let reason: Reason
    /// What is known beyond the reason, in a line; empty where nothing is.
    public let detail: String
    /// Of a program that ended by itself.
    public var exitCode: Int32?
    /// The number of the signal that ended it.
    public var signal: Int32?
    /// Who called `abort()`, the innermost first, where the policy has that call referred and not simply allowed.
    public var backtrace: [FrameRecord]?
    /// The step of the launch that failed, and the remedy.
    public var failedStep: String?
    public var remedy: String?
    /// What is in force.
    public var layers: [String] = []
    /// What was left out: because this machine lacks it and somebody said that it may, or because the policy grants
    /// what the layer would hold.
    public var waived: [Waiver] = []
    public var steps: [Step] = []
    /// What was refused, by kind.
    public var refusals: [DenialRecord] = []
    /// How many refusals there were in all, also those whose kind found no room.
    public var refusalCount = 0
    /// Bytes.
    public var memoryLimit: UInt64
    public var peakMemory: UInt64?
    /// Whether the kernel holds the memory limit for all processes together; else it is watched.
    public var isMemoryEnforced = false
    /// Processor time in seconds, of all processes.
    public var userSeconds: Double?
    public var systemSeconds: Double?
    /// From the start of the launch to the end, in seconds.
    public var elapsedSeconds: Double

    /// Whether Annex ended it, for a reason that the program did not choose.
    public var wasEnded: Bool {
        switch reason {
        case .exited, .crashed, .launchFailed: false
        default: true
        }
    }
}
