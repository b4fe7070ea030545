extension Policy {
    /// Creates a shipped policy from the parts that were read from its text when it was compiled.
    ///
    /// - Parameter filter: the filter that was compiled and checked at that time; nil if it is to be compiled on first
    ///   use.
    package init(
        shipped name: String, summary: String, architecture: Architecture, limits: PolicyLimits, paths: PolicyPaths,
        devices: [PolicyDevice], network: PolicyNetwork, writeXorExecute: Bool, environment: PolicyEnvironment,
        unlisted: UnlistedCalls, places: [PolicySection: PolicyPlace], filter: SeccompFilter?
    ) {
        self.name = name
        self.summary = summary
        self.architecture = architecture
        self.limits = limits
        self.paths = paths
        self.devices = devices
        self.network = network
        self.writeXorExecute = writeXorExecute
        self.environment = environment
        self.unlisted = unlisted
        self.places = places
        book = RuleBook(filter: filter) {
            // Reading cannot fail: the same text was read when the policy was compiled. If it did, a policy without
            // rules would refuse every call.
            (try? Policy.shipped(named: name, for: architecture))?.book.contents ?? RuleBook.Contents()
        }
    }

    /// The parts of a compiled policy that are stored besides its filter and its public parts.
    package var foundations: (unlisted: UnlistedCalls, places: [PolicySection: PolicyPlace]) { (unlisted, places) }
}
