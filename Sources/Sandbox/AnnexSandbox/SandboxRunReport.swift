public import AnnexLaunch
public import AnnexLinux

/// How a program's run ended, with all known facts about the run.
public struct SandboxRunReport: Sendable, Hashable, Codable {
    /// Why the program ended. The end of an extension uses the same names.
    public enum Reason: String, Sendable, Hashable, Codable, CaseIterable {
        /// The program ended by itself, with its own exit code.
        case exited
        /// A signal that Annex did not send ended the program, or the program called `abort()`.
        case crashed
        /// The program was asked to end, but did not end, and was killed.
        case cancelled
        /// A limit of the policy was reached. The launch limit applies only until the program's own code runs.
        case memoryLimit, launchLimit, timeLimit, processorLimit, diskLimit, outputLimit
        /// The program made a call that only an attack makes, or made more denied calls than the policy's limit.
        case deniedOperation
        /// The kernel cannot end the program, because the program is in a sleep that no signal interrupts.
        case stuck
        /// The process that builds sandboxes (the warden) was ended, and the program ended with it.
        case brokerShutdown
        /// The program never ran, because a step of its launch failed.
        case launchFailed
    }

    /// One step of the launch, and how long it took.
    public struct Step: Sendable, Hashable, Codable {
        /// The step's name, for example `no-new-privs`.
        public let name: String
        /// The time that the step took.
        public let microseconds: Double
    }

    /// A layer that was left out.
    public struct Waiver: Sendable, Hashable, Codable {
        /// The raw value of the `SandboxLayer`.
        public let layer: String
        /// Why this machine cannot provide the layer; nil if the launch did not request the layer.
        public let cause: String?
        /// The remedy; nil if no remedy is known.
        public let remedy: String?
    }

    /// A path that root handed over, and where root's files do not belong to the program.
    public struct ForeignPlace: Sendable, Hashable, Codable {
        /// The path with every link resolved. In JSON, it is the true path.
        public let path: Escaped
        /// Why the mount of the path has no id map.
        public let reason: String
    }

    /// The program's name as the caller gave it, and its arguments.
    public let program: [String]
    /// The policy's name.
    public let policy: String
    /// Why the program ended.
    public let reason: Reason
    /// More about the reason, in one line; empty if nothing more is known.
    public let detail: String
    /// The exit code; nil unless the reason is `exited`.
    public var exitCode: Int32?
    /// The number of the signal that ended the program; nil unless the reason is `crashed`.
    public var signal: Int32?
    /// The functions that led to the crash, the innermost first; nil if the broker got no backtrace. After `abort()`,
    /// the broker sees these functions only if it decides on the system call that sends the signal. If the policy
    /// simply allows that call, this property is nil.
    public var backtrace: [FrameRecord]?
    /// The step of the launch that failed; nil if no step failed.
    public var failedStep: String?
    /// The remedy for a failed launch. nil if no remedy is known, or if the launch did not fail.
    public var remedy: String?
    /// The layers in force.
    public var layers: [String] = []
    /// The layers that were left out. Either this machine lacks them and the caller waived them, or the policy grants
    /// what they would deny.
    public var waived: [Waiver] = []
    /// The paths in which the program could execute what it wrote. The caller or the policy gave the rights to write
    /// and to execute there.
    public var writableCode: [Escaped] = []
    /// The paths that root handed over, and where root's files do not belong to the program. There, the program can only
    /// do what every user may do.
    public var foreignPlaces: [ForeignPlace] = []
    /// The steps of the launch, in order.
    public var steps: [Step] = []
    /// The denied calls and paths, with one record for each kind of denial.
    public var denials: [DenialRecord] = []
    /// The number of all denials. It includes denials of kinds for which `denials` has no room.
    public var denialCount = 0
    /// The memory limit in bytes.
    public var memoryLimit: UInt64
    /// The most memory in use at any moment, in bytes; nil if it is not known.
    public var peakMemory: UInt64?
    /// Whether the kernel enforces the memory limit for all processes together. If not, Annex watches the memory in
    /// use.
    public var isMemoryEnforced = false
    /// The processor time in seconds that all processes spent in their own code; nil if it is not known.
    public var userSeconds: Double?
    /// The processor time in seconds that the kernel spent on behalf of all processes; nil if it is not known.
    public var systemSeconds: Double?
    /// The time from the start of the launch to the end, in seconds.
    public var elapsedSeconds: Double

    /// Whether Annex ended the program.
    public var wasEnded: Bool {
        switch reason {
        case .exited, .crashed, .launchFailed: false
        default: true
        }
    }
}
