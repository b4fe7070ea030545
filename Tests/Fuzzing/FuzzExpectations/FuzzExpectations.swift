import AnnexPolicy
import FuzzSupport

/// Any bytes end in expectations or in an error, and what a policy says of each never traps.
@main
enum FuzzExpectations {
    static func main() {
        let policy: Policy
        do {
            policy = try Policy.shipped(named: "compute")
        } catch {
            fatalError("\(error)")
        }
        Fuzzer.run { bytes, count in
            let text = String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
            // The name that every seed bears.
            let file = "compute.expectations.yaml"
            guard let expectations = try? Expectations(text: text, file: file) else { return 0 }
            for expectation in expectations.all { _ = policy.failure(of: expectation) }
            return 0
        }
    }
}
