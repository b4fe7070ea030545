internal import AnnexPolicy

/// One shipped policy in the form that `make policies` generates.
struct CompiledPolicy: Sendable {
    /// The digest of the texts that the policy was made of: `PolicyLibrary.digest(ofPolicy:)`.
    let digest: UInt64
    let allowsEveryExec: Bool
    /// The filters' instructions, as hexadecimal digits.
    let x86: StaticString
    let arm: StaticString
    private let policy: @Sendable (Architecture, SeccompFilter?) -> Policy

    init(
        digest: UInt64, allowsEveryExec: Bool, x86: StaticString, arm: StaticString,
        policy: @escaping @Sendable (Architecture, SeccompFilter?) -> Policy
    ) {
        self.digest = digest
        self.allowsEveryExec = allowsEveryExec
        self.x86 = x86
        self.arm = arm
        self.policy = policy
    }

    func policy(for architecture: Architecture) -> Policy {
        // A filter that cannot be read is compiled again at the first launch.
        policy(architecture, try? filter(for: architecture))
    }

    /// The filter that is stored in this policy.
    func filter(for architecture: Architecture) throws(PolicyError) -> SeccompFilter {
        let digits =
            switch architecture {
            case .x86: x86
            case .arm: arm
            }
        return try SeccompFilter(
            template: Self.bytes(digits), architecture: architecture, allowsEveryExec: allowsEveryExec)
    }

    private static func bytes(_ digits: StaticString) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.utf8CodeUnitCount / 2)
        var upper: UInt8?
        // SAFETY: a constant of the program, read within its own bounds.
        digits.withUTF8Buffer { digits in
            for place in digits.indices {
                let digit = unsafe digits[place]
                guard digit > UInt8(ascii: " ") else { continue }
                let value = digit < 0x60 ? digit &- 0x30 : digit &- 0x57
                if let half = upper.take() { bytes.append(half << 4 | value) } else { upper = value }
            }
        }
        return bytes
    }
}
