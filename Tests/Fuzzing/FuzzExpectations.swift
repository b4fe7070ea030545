import AnnexPolicy
import AnnexPolicyTools

/// For any bytes, the reader returns expectations or an error. A policy's answer to an expectation never traps.
enum FuzzExpectations {
    private static let policy = try? Policy.shipped(named: "compute")

    static func main() {
        guard policy != nil else { fatalError("the policy that is asked does not compile") }
        Fuzzer.run { bytes, count in
            FuzzExpectations.read(String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self))
            return 0
        }
    }

    private static func read(_ text: String) {
        // The name that every seed has.
        let file = "compute.expectations.yaml"
        guard let policy, let expectations = try? Expectations(text: text, file: file) else { return }
        for expectation in expectations.all { _ = policy.failure(of: expectation) }
    }
}
