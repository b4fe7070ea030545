internal import AnnexPolicy

/// Whether one policy's sandboxes can be made here: a small program was really launched under it.
public struct PolicyReadiness: Codable, Sendable, Hashable {
    public enum State: String, Codable, Sendable, Hashable {
        /// With every layer, and the kernel enforces the memory limit.
        case ready
        /// With every layer; the memory limit is watched, not enforced.
        case weaker
        /// Only for a host that names the missing layers as dispensable.
        case waivable
        /// Not at all.
        case unable
    }

    /// A layer that this machine cannot give.
    public struct Lack: Codable, Sendable, Hashable {
        /// As it is named in `waiving:` and on the command line.
        public var layer: String
        public var cause: String
        public var remedy: String?
    }

    public var policy: String
    public var state: State
    /// Layers in force during the launch.
    public var layers: [String] = []
    public var missing: [Lack] = []
    /// Why it cannot run.
    public var cause: String?
    public var remedy: String?
    /// What became of the probe's tries to make a user namespace of its own, inside.
    public var nestedNamespaces: String?
    /// From the plan to the probe's first instruction, in microseconds.
    public var launchMicroseconds: Double?

    init(_ policy: String, _ state: State) {
        self.policy = policy
        self.state = state
    }

    init(unable policy: String, _ failure: SandboxError, _ remedies: Remedies) {
        self.init(policy, .unable)
        cause = "\(failure.step): \(failure.cause)"
        remedy = failure.remedy ?? remedies.ofStart
    }
}

extension LayerLack {
    func lack(_ remedies: Remedies) -> PolicyReadiness.Lack {
        PolicyReadiness.Lack(layer: layer.rawValue, cause: seen, remedy: remedies.remedy(of: self))
    }
}
