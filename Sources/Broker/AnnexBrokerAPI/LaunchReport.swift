/// A report on one launch: how long each step took, and which layers and limits are in force.
public struct LaunchReport: Sendable, Hashable {
    /// One step of the launch.
    public struct Step: Sendable, Hashable {
        /// The step's name, for example `pivot_root`.
        public let name: String
        /// How long the step took.
        public let duration: Duration

        package init(name: String, duration: Duration) {
            self.name = name
            self.duration = duration
        }
    }

    /// A layer that the host declared dispensable and that this machine does not provide.
    public struct Waiver: Sendable, Hashable {
        /// The missing layer.
        public let layer: DispensableLayer
        /// The step that failed and the kernel's error, for example `landlock: ENOSYS (Function not implemented)`.
        public let cause: String
        /// How to get the layer on this machine; nil if that is not known.
        public let remedy: String?

        package init(layer: DispensableLayer, cause: String, remedy: String?) {
            self.layer = layer
            self.cause = cause
            self.remedy = remedy
        }
    }

    /// How long the launch waited for a free instance slot before its first step.
    public let waited: Duration
    /// Every step in order, from the plan to the extension's hello.
    public let steps: [Step]
    /// The layers in force, for example `user namespace`, `Landlock (ABI 7)`. `speculation control` lists in
    /// parentheses the controls that this machine offers, or says that it offers none.
    public let layers: [String]
    /// The layers that are missing: the host declared them dispensable, and the machine does not provide them.
    public let waived: [Waiver]
    /// The policy's name.
    public let policy: String
    /// Every limit of the policy, and the mechanism that holds it.
    public let limits: [Limit]
    /// The memory limit in bytes.
    public let memoryLimit: UInt64
    /// How the memory limit is held.
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

    /// The report of a session that has not begun.
    package static let unknown = LaunchReport(steps: [], layers: [], policy: "", memoryLimit: 0, memory: .watched)

    /// The time from the plan to the extension's hello.
    public var total: Duration { steps.reduce(.zero) { $0 + $1.duration } }
}
