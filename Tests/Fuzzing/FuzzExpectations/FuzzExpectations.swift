import AnnexPolicy
import FuzzSupport

/// Any bytes end in expectations or in an error, and what a policy says of each never traps.
@main
enum FuzzExpectations {
    static func main() {
        let policy = try? PolicyLibrary(texts: ["fuzz": text]).policy(named: "fuzz")
        Fuzzer.run { bytes, count in
            guard let policy else { fatalError("the policy that is asked does not compile") }
            let text = String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
            guard let expectations = try? Expectations(text: text, file: "fuzz.expectations.yaml") else { return 0 }
            for expectation in expectations.all { _ = policy.failure(of: expectation) }
            return 0
        }
    }

    private static let text = """
        policy: fuzz
        summary: Something to ask.
        allow:
          - reason: Reading.
            calls: [read, write, { call: mmap, when: { prot: PROT_READ } }]
        paths:
          grants:
            - { reason: Files., rights: [read], paths: [/etc/hosts] }
        """
}
