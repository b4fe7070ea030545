/// How one launch went: what each step took, and what stands between the extension and the machine.
public struct LaunchReport: Sendable, Hashable {
    /// One step of the launch, in order.
    public struct Step: Sendable, Hashable {
        /// The step's name, for example `pivot_root`.
        public let name: String
        /// How long it took.
        public let duration: Duration

        package init(name: String, duration: Duration) {
            self.name = name
            self.duration = duration
        }
    }

    /// A layer that the host named as dispensable and that this machine does not give.
    public struct Waiver: Sendable, Hashable {
        public let layer: DispensableLayer
        /// The step that failed and what the kernel answered, for example `landlock: ENOSYS (Function not implemented)`.
        public let cause: String
        /// What would give it, where that is known.
        public let remedy: String?

        package init(layer: DispensableLayer, cause: String, remedy: String?) {
            self.layer = layer
            self.cause = cause
            self.remedy = remedy
        }
    }

    /// How long it waited for a place among those that run at once, before its first step.
    public let waited: Duration
    /// Every step from the plan to the extension's hello.
    public let steps: [Step]
    /// The layers in force, for example `user namespace`, `Landlock (ABI 7)`. `speculation control` names in parentheses the
    /// controls that this machine offers, or says that it offers none.
    public let layers: [String]
    /// The layers that are missing, because the host named them as dispensable and the machine does not give them.
    public let waived: [Waiver]
    /// The policy's name.
    public let policy: String
    /// Every limit of the policy, and who holds it.
    public let limits: [Limit]
    /// The memory limit in bytes.
    public let memoryLimit: UInt64
    /// Whether the kernel enforces it.
    public let memory: Enforcement

    package init(
        waited: Duration = .zero, steps: [Step], layers: [String], waived: [Waiver] = [], policy: String,
        limits: [Limit] = [], memoryLimit: UInt64, memory: Enforcement
    ) {
        self.waited = waited
        self.steps = steps
        self.layers = layers
        self.waived = waived
        self.policy = policy
        self.limits = limits
        self.memoryLimit = memoryLimit
        self.memory = memory
    }

    /// Of a session that has not begun.
    package static let unknown = LaunchReport(steps: [], layers: [], policy: "", memoryLimit: 0, memory: .watched)

    /// From the plan to the extension's hello.
    public var total: Duration { steps.reduce(.zero) { $0 + $1.duration } }
}
