internal import AnnexLinux

extension Policy {
    /// This policy with other limits, higher or lower.
    ///
    /// - Parameter settings: each as `NAME=VALUE` in the notation of policies, for example `file=4G`. The name
    ///   `scratch` is for the size of the scratch directory, the private directory in memory.
    /// - Throws: the first mistake.
    package func limited(to settings: [String]) throws(PolicyError) -> Policy {
        var policy = self
        for setting in settings {
            let parts = setting.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2 else {
                throw PolicyError(
                    "`\(Escaped(setting, limit: 200))` is not a limit: write NAME=VALUE, for example file=4G")
            }
            try policy.limit(parts[0], to: parts[1])
        }
        return policy
    }

    private mutating func limit(_ name: String, to value: String) throws(PolicyError) {
        guard name == "scratch" else {
            let known = LimitName.allCases.map(\.rawValue) + ["scratch"]
            guard known.contains(name) else {
                throw PolicyError(
                    "unknown limit `\(Escaped(name, limit: 200))`; known are: \(known.joined(separator: ", "))",
                    suggestion: NearestName.of(name, among: known))
            }
            let root = try PolicyNode.root(of: "\(name): '\(value.replacing("'", with: "''"))'", file: "limit")
            limits = limits.replaced(by: try root.limitValues())
            return
        }
        guard let scratch = paths.scratch else { throw PolicyError("the policy \(self.name) has no scratch directory") }
        guard let size = Quantity.bytes(value), size > 0 else {
            throw PolicyError(
                "`\(Escaped(value, limit: 200))` is not a size: write \(Quantity.formOfBytes)")
        }
        // Each file needs a page, so a larger directory has room for more files.
        let (more, overflow) = scratch.inodes.multipliedReportingOverflow(by: max(1, size / scratch.size))
        let inodes = overflow ? UInt64(Int64.max) : more
        paths.scratch = PolicyPaths.PrivateDirectory(path: scratch.path, size: size, inodes: inodes)
    }
}
