public import AnnexLaunch
internal import AnnexPolicy
internal import AnnexSupervision
internal import Glibc

@_exported public import enum AnnexLinux.EndReason
public import struct AnnexLinux.Escaped

/// How a program's run ended, with all known facts about the run.
public struct SandboxRunReport: Sendable, Hashable, Codable {
    /// Why the program ended. A program ends only for some of the reasons; the others are those of extensions.
    public typealias Reason = EndReason

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
        /// The file or directory below the path that is the reason. If it is handed over for reading, the mount has an
        /// id map. nil if nothing below the path is the reason. It is the true path, with all its bytes.
        public let part: String?
    }

    /// A part of a handed-over directory that the program could not change, or a path at which such a part would be.
    public struct ProtectedPart: Sendable, Hashable, Codable {
        /// The path with every link resolved. In JSON, it is the true path.
        public let path: Escaped
        /// The group of the shipped list to which the part belongs; nil if a pattern named the part.
        public let group: String?
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
    /// The number of the signal that ended the program; nil unless the reason is `crashed`, or `deniedOperation`
    /// because of a call of a foreign ABI. The kernel ends a program at such a call.
    public var signal: Int32?
    /// The functions that led to the crash, the innermost first; nil if the broker got no backtrace. After `abort()`,
    /// the broker sees these functions only if it decides on the system call that sends the signal. If the policy
    /// simply allows that call, this property is nil.
    public var backtrace: [FrameRecord]?
    /// The step of the launch that failed; nil if no step failed.
    public var failedStep: String?
    /// The remedy for a failed launch, or for an end after the grace. Nil if no remedy is known, or after another end.
    public var remedy: String?
    /// The layers in force.
    public var layers: [String] = []
    /// The layers that were left out. Either this machine lacks them and the caller waived them, or the policy grants
    /// what they would deny.
    public var waived: [Waiver] = []
    /// The paths in which the program could execute what it wrote. The caller or the policy gave the rights to write
    /// and to execute there.
    public var writableCode: [Escaped] = []
    /// The paths that root handed over, and where root's files do not belong to the program. There, the program can
    /// only do what every user may do.
    public var foreignPlaces: [ForeignPlace] = []
    /// Whether other processes of the program still ran when the program ended. They ended with it.
    public var leftProcesses = false
    /// The machines for which a program with named hosts asked, in the order of its first questions: at most 256.
    public var hosts: [RequestedHost] = []
    /// The files and directories that were hidden from the program.
    public var hiddenParts: [Escaped] = []
    /// The files and directories that the program could read and not change.
    public var protectedParts: [ProtectedPart] = []
    /// Files and directories that would have been protected, but did not exist when the program started. Now they
    /// exist.
    public var madeParts: [ProtectedPart] = []
    /// Directories in which further such parts may be, because the program filled or closed them so that their entries
    /// could not be listed after the run.
    public var unlistablePlaces: [Escaped] = []
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

extension SandboxRunReport {
    init(
        program: [String], policy: Policy, ending: Ending, note: String?, facts: SandboxEnd, launch: SandboxReport?,
        elapsed: Duration
    ) {
        let words = [note ?? "", Self.words(ending.detail, facts: facts)].filter { !$0.isEmpty }
        self.init(
            program: program, policy: policy.name, reason: ending.reason, detail: words.joined(separator: "; "),
            memoryLimit: policy.limits.memory, elapsedSeconds: elapsed.inSeconds)
        remedy = ending.remedy
        record(ending.detail, facts: facts)
        layers = launch?.layers ?? []
        waived = (launch?.waived ?? []).map { Waiver(layer: $0.layer.rawValue, cause: $0.cause, remedy: $0.remedy) }
        writableCode = policy.paths.writableCode.map { Escaped($0, limit: 8_192) }
        foreignPlaces = (launch?.foreignPlaces ?? []).map {
            ForeignPlace(
                path: Escaped($0.path, limit: 8_192), reason: $0.reason, part: $0.part
            )
        }
        if let parts = launch?.parts { record(parts) }
        steps = (launch?.steps ?? []).map { Step(name: $0.name, microseconds: $0.duration.inSeconds * 1e6) }
        denials = facts.denials.map(DenialRecord.init)
        denialCount = facts.denialSummary.total
        peakMemory = facts.peakMemory
        isMemoryEnforced = facts.isMemoryEnforced
        leftProcesses = facts.usage?.leftOthers ?? false
        hosts = facts.hosts
        userSeconds = facts.usage?.userTime.inSeconds
        systemSeconds = facts.usage?.systemTime.inSeconds
    }

    private mutating func record(_ parts: PartFacts) {
        hiddenParts = parts.hidden.map { Escaped($0, limit: 8_192) }
        protectedParts = parts.protected.map(ProtectedPart.init)
        let changes = PartChanges(since: parts)
        madeParts = changes.made.map(ProtectedPart.init)
        unlistablePlaces = changes.unlistable.map { Escaped($0, limit: 8_192) }
    }

    private mutating func record(_ detail: Ending.Detail, facts: SandboxEnd) {
        switch detail {
        case .exitCode(let code): exitCode = code
        case .foreignCall: signal = SIGSYS
        case .signal(let number):
            signal = number
            let frames = facts.frames(ofCrashBy: number)
            backtrace = frames.isEmpty ? nil : frames.map(FrameRecord.init)
        case .step(let failure):
            failedStep = failure.step
            remedy = failure.remedy
        case .none, .limit, .denial, .violation: break
        }
    }

    private static func words(_ detail: Ending.Detail, facts: SandboxEnd) -> String {
        switch detail {
        case .none: ""
        case .exitCode(let code): "exit code \(code)" + memoryNote(facts)
        case .signal(let number): "signal \(number)"
        case .limit(let text), .violation(let text): text
        case .denial(let denial): denial.text + (denial.policyLine.map { ", \($0)" } ?? "")
        case .foreignCall: "call of a foreign ABI"
        case .step(let failure): failure.cause
        }
    }

    /// A note that is added to an exit code if the kernel killed a process of the program at the memory limit. For
    /// example, a shell whose child was killed continues or exits with 137.
    private static func memoryNote(_ facts: SandboxEnd) -> String {
        (facts.memory?.kills ?? 0) > 0 ? ", after the kernel killed one of its processes at the memory limit" : ""
    }
}

extension SandboxRunReport.ProtectedPart {
    fileprivate init(_ part: PartFacts.Protected) {
        self.init(path: Escaped(part.path, limit: 8_192), group: part.group)
    }
}

extension Duration {
    fileprivate var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
