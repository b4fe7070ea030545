internal import AnnexLaunch
internal import AnnexPolicy

/// How the host measures a program's kernel objects. It measures them before the program starts, while the program
/// holds them, and after the program's end.
struct Measure: Sendable {
    /// The program as the host sees it.
    struct Scene: Sendable {
        let canaries: Canaries
        /// The program's process number on the host; 0 if it has none.
        let process: Int32
        /// The number of objects that the program reports.
        let reported: UInt64
    }

    /// The unit of the count, for example `locks`.
    let unit: String
    /// Bytes of kernel memory per object.
    let size: UInt64
    let allowance: Allowance
    /// Returns the number of objects: the kernel's count if the kernel publishes one, otherwise the program's own
    /// count. Returns nil if the count cannot be read now.
    let count: @Sendable (Scene) -> UInt64?
    /// An action that another program of the same user must still be able to perform.
    let neighbour: (@Sendable (inout TrialScript) -> Proof)?

    enum Allowance: Sendable {
        /// No limit of the sandbox counts these objects. So only the small increase `always` is allowed.
        case little
        /// These objects count against the memory limit.
        case memoryLimit
        /// These objects count against the memory limit if a control group enforces that limit. Without a control
        /// group, they are not limited. The policy's line that grants the call then allows them.
        case memoryLimitOfGroup(granting: String, [TrialArgument])

        /// The allowed increase, in bytes.
        func bytes(_ policy: Policy) -> UInt64 {
            switch self {
            case .little: Self.always
            case .memoryLimit, .memoryLimitOfGroup: Self.always + policy.limits.memory
            }
        }

        static let always: UInt64 = 2 << 20
    }

    init(
        _ unit: String, of size: UInt64, within allowance: Allowance = .little,
        count: @escaping @Sendable (Scene) -> UInt64? = { $0.reported },
        neighbour: (@Sendable (inout TrialScript) -> Proof)? = nil
    ) {
        self.unit = unit
        self.size = size
        self.allowance = allowance
        self.neighbour = neighbour
        self.count = count
    }

    /// The memory limit of a measured try. It is small enough for any machine.
    static let mostMemory: UInt64 = 64 << 20

    static func policy(_ policy: Policy) -> Policy {
        var policy = policy
        policy.limits.memory = min(policy.limits.memory, mostMemory)
        return policy
    }
}
