internal import AnnexLaunch
internal import AnnexPolicy

/// Whether sandboxes of one policy can be made on this machine. To find out, the doctor launched a small program under
/// the policy.
public struct PolicyReadiness: Codable, Sendable, Hashable {
    public enum State: String, Codable, Sendable, Hashable {
        /// The policy runs with every layer, and the kernel enforces the memory limit.
        case ready
        /// The policy runs with every layer, but the memory limit is only watched, not enforced.
        case weaker
        /// The policy runs only if the host waives the missing layers.
        case waivable
        /// The policy cannot run.
        case unable
    }

    /// A layer that this machine cannot provide.
    public struct Missing: Codable, Sendable, Hashable {
        /// The layer's name in `waiving:` and on the command line.
        public var layer: String
        public var cause: String
        public var remedy: String?
    }

    public var policy: String
    public var state: State
    /// The layers in force during the launch.
    public var layers: [String] = []
    public var missing: [Missing] = []
    /// Why the policy cannot run; nil if it can run.
    public var cause: String?
    public var remedy: String?
    /// The results of the probe's attempts to make a user namespace inside the sandbox. The probe is the small program
    /// of the trial.
    public var nestedNamespaces: String?
    /// The time from the start of the launch to the probe's first instruction, in microseconds.
    public var launchMicroseconds: Double?

    init(_ policy: String, state: State) {
        self.policy = policy
        self.state = state
    }

    init(unable policy: String, failure: SandboxError, remedies: Remedies) {
        self.init(policy, state: .unable)
        cause = "\(failure.step): \(failure.cause)"
        remedy = failure.remedy ?? remedies.ofStart
    }
}

extension MissingLayer {
    func missing(_ remedies: Remedies) -> PolicyReadiness.Missing {
        PolicyReadiness.Missing(layer: layer.rawValue, cause: seen, remedy: remedies.remedy(of: self))
    }
}
