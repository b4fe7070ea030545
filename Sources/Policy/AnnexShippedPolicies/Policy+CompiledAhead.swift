public import AnnexPolicy

extension Policy {
    /// A shipped policy that the sources carry read, compiled and proven: what `shipped(named:)` gives, without its cost.
    /// Its rules are read from the text only when a caller asks why a call was refused.
    ///
    /// - Parameters:
    ///   - name: for example `compute`.
    ///   - directory: policies of its user's, which take the place of those that have their name.
    /// - Throws: where there is no such policy, or the directory's files are none.
    public static func compiledAhead(
        named name: String, overriding directory: String? = nil, for architecture: Architecture = .current
    ) throws(PolicyError) -> Policy {
        if let directory {
            return try PolicyLibrary.standard(overriding: directory).policy(named: name, for: architecture)
        }
        if let compiled = CompiledPolicies.named(name) { return compiled.policy(for: architecture) }
        return try Policy.shipped(named: name, for: architecture)
    }
}
