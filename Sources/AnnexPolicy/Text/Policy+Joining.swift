extension Policy {
    /// Joins files, includes first; the last is the policy itself.
    init(joining documents: [PolicyDocument], architecture: Architecture) throws(PolicyError) {
        guard let own = documents.last else { throw PolicyError("no policy") }
        func last<Value>(_ what: String, _ part: (PolicyDocument) -> Value?) throws(PolicyError) -> Value {
            guard let value = documents.reversed().lazy.compactMap(part).first else {
                throw PolicyError("neither this policy nor what it includes states `\(what)`", at: own.place)
            }
            return value
        }
        name = own.name
        summary = own.summary
        self.architecture = architecture
        unlisted = try last("unlisted", \.unlisted)
        network = try last("network", \.network)
        environment = try last("environment", \.environment)
        paths = PolicyPaths(
            bundle: try last("paths: bundle", \.bundle),
            privateDirectory: try last("paths: private", \.privateDirectory))
        limits = try Self.limits(of: documents)
        rules = Self.rules(of: documents, architecture: architecture)
    }

    private static func limits(of documents: [PolicyDocument]) throws(PolicyError) -> PolicyLimits {
        var values: [LimitName: LimitValue] = [:]
        for document in documents { values.merge(document.limits) { _, later in later } }
        do throws(MissingLimit) {
            return try PolicyLimits(values)
        } catch {
            let problem = "neither this policy nor what it includes states the limit `\(error.name.rawValue)`"
            throw PolicyError(problem, at: documents.last?.place)
        }
    }

    private static func rules(
        of documents: [PolicyDocument], architecture: Architecture
    ) -> [Int32: [CallRule]] {
        var calls: [String: [CallRule]] = [:]
        for document in documents { calls.merge(document.calls) { _, later in later } }
        var rules: [Int32: [CallRule]] = [:]
        for (name, list) in calls {
            // What this architecture lacks needs no rule.
            guard let call = SystemCall(named: name, architecture: architecture) else { continue }
            rules[call.number] = list
        }
        return rules
    }
}
