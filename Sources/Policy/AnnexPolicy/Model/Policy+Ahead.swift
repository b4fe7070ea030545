extension Policy {
    /// A shipped policy as its text was read when it was compiled.
    ///
    /// - Parameter filter: compiled and judged then; nil: compiled when it is asked for.
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
            // The same text was read when the policy was compiled. Without rules, every call would be refused.
            (try? Policy.shipped(named: name, for: architecture))?.book.contents ?? RuleBook.Contents()
        }
    }

    /// What is written down of a compiled policy beside its filter and its public parts.
    package var foundations: (unlisted: UnlistedCalls, places: [PolicySection: PolicyPlace]) { (unlisted, places) }
}
