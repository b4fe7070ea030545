import AnnexPolicy

/// For any bytes, the reader returns a policy or an error. A policy's answer about calls never traps.
enum FuzzPolicyText {
    static func main() {
        Fuzzer.run { bytes, count in
            FuzzPolicyText.read(String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self))
            return 0
        }
    }

    private static func read(_ text: String) {
        // `fuzz` is the name that every seed has. `base` is a small policy to include. Reading the shipped policy
        // `base` would take nearly all the time.
        let library = PolicyLibrary(texts: ["fuzz": text, "base": base])
        // Only one of the two architectures is checked, because both would take twice the time. The input chooses it.
        let architecture: Architecture = text.utf8.count.isMultiple(of: 2) ? .x86 : .arm
        guard let policy = try? library.policy(named: "fuzz", for: architecture) else { return }
        for number in [0, 1, 9, 59, 257, 1023] as [Int32] {
            _ = policy.verdict(number: number, arguments: [1, .max, 0, 1 << 63, 3, 4])
        }
    }

    private static let base = """
        policy: base
        summary: Something to include.
        allow:
          - reason: Reading.
            calls: [read, write]
        """
}
