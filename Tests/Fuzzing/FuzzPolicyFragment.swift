import AnnexPolicy

/// For any bytes, the reader returns a fragment or an error. If a fragment is joined with a policy, it removes no right
/// from the policy. The joined policy gives a filter or an error, without a trap.
enum FuzzPolicyFragment {
    static func main() {
        Fuzzer.run { bytes, count in
            FuzzPolicyFragment.read(
                String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self))
            return 0
        }
    }

    /// The name that every seed has.
    private static let file = "com.example.fuzz.yaml"
    private static let policy = try? Policy.shipped(named: "compute")

    private static func read(_ text: String) {
        guard let fragment = try? PolicyFragment(text: text, file: file), let policy,
            let joined = try? policy.joined(with: [fragment])
        else { return }
        precondition(fragment.identifier == "com.example.fuzz" && joined.name == "compute+com.example.fuzz")
        precondition(Set(joined.allowedCalls).isSuperset(of: policy.allowedCalls))
        precondition(joined.writeXorExecute && joined.paths.bundle == policy.paths.bundle)
        precondition((try? joined.joined(with: [fragment])) == joined)
    }
}
