/// What this machine offers to sandboxes, found by trying: see `Doctor.examine()`.
///
/// Codable with stable keys, for a program to read; durations are microseconds, sizes bytes.
public struct Diagnosis: Codable, Sendable, Hashable {
    /// What it all comes to.
    public enum Outcome: String, Codable, Sendable, Hashable {
        /// Every policy runs with every layer, and every limit is enforced by the kernel.
        case ready
        /// Every policy runs, some with less than there could be: memory watched instead of enforced, for example.
        case weaker
        /// Some policy cannot run here as it is.
        case unable
    }

    /// Kernel release and processor, for example `6.8.0 x86_64`.
    public var system: String
    /// The user who asked, by number; layers differ between root and others.
    public var user: UInt32
    /// Where this program runs: `none`, or the kind of container around it.
    public var container: String
    public var findings: [Finding]
    public var policies: [PolicyReadiness]

    /// The worst of the policies and, where all of them run, of the findings.
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
