internal import AnnexPolicy
internal import AnnexSandbox

/// How the host measures what the kernel holds for a program: before it begins, while it holds what it took, and after
/// its end.
struct Measure: Sendable {
    /// What the host sees of it.
    struct Scene: Sendable {
        let ground: TrialGround
        /// The program's number on the host; 0 where there is none.
        let process: Int32
        /// What the program says that it got.
        let told: UInt64
    }

    /// What is counted: `locks`.
    let unit: String
    /// Bytes of the kernel's that each one stands for.
    let size: UInt64
    let allowance: Allowance
    /// By the kernel's own word to the host, where it gives one; nil where it cannot be read now.
    let count: @Sendable (Scene) -> UInt64?
    /// What another program of the same user must still be able to do.
    let neighbour: (@Sendable (inout TrialScript) -> Proof)?

    enum Allowance: Sendable {
        /// No limit of the sandbox counts it: no more than is always allowed.
        case little
        /// It counts against the limit of memory.
        case memoryLimit
        /// The same where a control group counts it. Nobody else can: then the policy's line that grants this call does.
        case memoryLimitOfGroup(granting: String, [TrialArgument])

        /// Bytes.
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
        count: @escaping @Sendable (Scene) -> UInt64? = { $0.told },
        neighbour: (@Sendable (inout TrialScript) -> Proof)? = nil
    ) {
        self.unit = unit
        self.size = size
        self.allowance = allowance
        self.neighbour = neighbour
        self.count = count
    }

    /// The limit of memory under which it is tried: what is taken stays small enough for any machine.
    static let mostMemory: UInt64 = 64 << 20

    static func policy(_ policy: Policy) -> Policy {
        var policy = policy
        policy.limits.memory = min(policy.limits.memory, mostMemory)
        return policy
    }
}
