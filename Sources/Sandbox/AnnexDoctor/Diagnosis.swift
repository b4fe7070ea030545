internal import AnnexLaunch

/// The features that this machine offers to sandboxes. `Doctor.examine()` finds them by trying them.
///
/// The type is Codable with stable keys, so that programs can read it. Durations are in microseconds, and sizes are in
/// bytes.
public struct Diagnosis: Codable, Sendable, Hashable {
    /// The result for the whole machine.
    public enum Outcome: String, Codable, Sendable, Hashable {
        /// Every policy runs with every layer, and the kernel enforces every limit.
        case ready
        /// Every policy runs, but some policies run with less protection than Annex can give. For example, memory is
        /// watched instead of enforced.
        case weaker
        /// At least one policy cannot run here unless something is changed or a layer is waived.
        case unable
    }

    /// The kernel release and the processor, for example `6.8.0 x86_64`.
    public var system: String
    /// The number of the user that ran the examination. The available layers differ between root and other users.
    public var user: UInt32
    /// The kind of container around this program, or `none`.
    public var container: String
    public var findings: [Finding]
    public var policies: [PolicyReadiness]

    /// `unable` if any policy cannot run, or runs only with a waiver. Otherwise, `weaker` if any policy or finding is
    /// weaker, or if no policy was examined. Otherwise, `ready`.
    public var outcome: Outcome {
        if policies.contains(where: { $0.state == .unable || $0.state == .waivable }) { return .unable }
        let isWeaker = policies.contains { $0.state == .weaker } || findings.contains { $0.level == .weaker }
        return isWeaker || policies.isEmpty ? .weaker : .ready
    }

    private enum CodingKeys: String, CodingKey {
        case system, user, container, findings, policies, outcome
    }

    init(system: String, user: UInt32, container: String, findings: [Finding], policies: [PolicyReadiness]) {
        self.system = system
        self.user = user
        self.container = container
        self.findings = findings
        self.policies = policies
    }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        system = try values.decode(String.self, forKey: .system)
        user = try values.decode(UInt32.self, forKey: .user)
        container = try values.decode(String.self, forKey: .container)
        findings = try values.decode([Finding].self, forKey: .findings)
        policies = try values.decode([PolicyReadiness].self, forKey: .policies)
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(system, forKey: .system)
        try values.encode(user, forKey: .user)
        try values.encode(container, forKey: .container)
        try values.encode(outcome, forKey: .outcome)
        try values.encode(findings, forKey: .findings)
        try values.encode(policies, forKey: .policies)
    }
}

/// One feature that was tried, or one setting that was read, and its effect on sandboxes here.
public struct Finding: Codable, Sendable, Hashable {
    public enum Level: String, Codable, Sendable, Hashable {
        /// The feature works as Annex needs it.
        case works
        /// The feature differs from the usual state, but no protection is lost.
        case note
        /// Sandboxes run, but with less protection than Annex can give.
        case weaker
        /// A feature that sandboxes need is missing.
        case missing
    }

    /// The part of the doctor's table to which a finding belongs.
    public enum Topic: String, Codable, Sendable, Hashable, CaseIterable {
        case surroundings, calls, memory, layers, files, limits, switches, transfers
    }

    /// A stable identifier for programs, such as `user-namespace` or `vm.memfd_noexec`.
    public var id: String
    public var topic: Topic
    public var title: String
    public var level: Level
    /// The evidence: a call with its errno, or a file with its value.
    public var seen: String
    /// The consequence for Annex; nil if there is no consequence.
    public var meaning: String?
    /// The remedy: a command, or instructions if no command is enough. nil if no remedy is needed or known.
    public var remedy: String?

    package init(
        _ id: String, topic: Topic, title: String, level: Level, seen: String, meaning: String? = nil,
        remedy: String? = nil
    ) {
        self.id = id
        self.topic = topic
        self.title = title
        self.level = level
        self.seen = seen
        self.meaning = meaning
        self.remedy = remedy
    }
}
