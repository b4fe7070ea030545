extension Policy {
    /// Joins policy files. Includes come first. The last file is the policy itself.
    init(joining documents: [PolicyDocument], architecture: Architecture) throws(PolicyError) {
        guard let own = documents.last else { throw PolicyError("no policy") }
        var joining = Joining(documents: documents, own: own)
        name = own.name
        summary = own.summary
        self.architecture = architecture
        guard let unlisted = documents.reversed().lazy.compactMap(\.unlisted).first else {
            throw joining.missing("unlisted")
        }
        paths = try joining.paths()
        devices = try joining.last("devices", in: .devices, \.devices)
        let network = try joining.last("network", in: .network, \.network)
        (self.network, hosts) = (network.kind, network.hosts)
        writeXorExecute = try joining.last("write-xor-execute", in: .writeXorExecute, \.writeXorExecute)
        environment = try joining.last("environment", in: .environment, \.environment)
        limits = try joining.limits()
        let stated = Self.rules(of: documents, architecture: architecture)
        try Self.rejectTooMany(stated)
        let narrowed = try Self.narrowed(
            stated, writeXorExecute: writeXorExecute, network: network.kind, for: architecture)
        let rules = stated.merging(narrowed) { $1 }
        try Self.rejectTooMany(rules)
        book = RuleBook(
            RuleBook.Contents(
                rules: rules, wider: stated.filter { narrowed[$0.key] != nil }, unlisted: unlisted,
                places: joining.places))
        try rejectContradictions()
        try rejectUnboundedConnections()
    }

    /// Limits how many combinations of values the rules have. This check comes before other steps multiply the
    /// alternatives of conditions.
    static func rejectTooMany(_ rules: [Int32: [CallRule]]) throws(PolicyError) {
        var sum = 0
        for (_, list) in rules.sorted(by: { $0.key < $1.key }) {
            sum += try CallRule.count(list)
            guard sum <= CallRule.mostCombinations.ofPolicy else {
                throw PolicyError(
                    "the policy's rules have more than \(CallRule.mostCombinations.ofPolicy) combinations of values: "
                        + "state fewer values, or masks",
                    at: list.last?.place)
            }
        }
    }

    /// The rules that `write-xor-execute: on` and `network: hosts` narrow.
    static func narrowed(
        _ rules: [Int32: [CallRule]], writeXorExecute: Bool, network: PolicyNetwork,
        for architecture: Architecture
    ) throws(PolicyError) -> [Int32: [CallRule]] {
        let first = writeXorExecute ? try WriteXorExecute.narrowed(rules, architecture: architecture) : [:]
        guard network == .hosts else { return first }
        let second = try HostConnections.narrowed(rules, architecture: architecture)
        return first.merging(second) { $1 }
    }

    private static func rules(
        of documents: [PolicyDocument], architecture: Architecture
    ) -> [Int32: [CallRule]] {
        var calls: [String: [CallRule]] = [:]
        for document in documents { calls.merge(document.calls) { _, later in later } }
        var rules: [Int32: [CallRule]] = [:]
        for (name, list) in calls {
            // If this architecture does not have the call, no rule is needed.
            guard let call = SystemCall(named: name, architecture: architecture) else { continue }
            rules[call.number] = list
        }
        return rules
    }

    /// Checks that the sections of a joined policy do not contradict each other.
    ///
    /// - Throws: an error if two sections contradict each other.
    func rejectContradictions() throws(PolicyError) {
        for grant in paths.grants {
            if let contradiction = contradiction(of: grant) {
                throw PolicyError("`\(grant.path)`: \(contradiction)", at: grant.place)
            }
        }
    }

    /// Checks that the broker makes every connection of a policy with `network: client`, and that it knows the hosts of
    /// a policy whose connections it makes to named hosts.
    func rejectUnboundedConnections() throws(PolicyError) {
        let named = rules.values.joined().first { $0.answer == .allow && $0.bound == .hosts }
        if let named, network == .none || network == .loopback {
            throw PolicyError(
                "`bounded: hosts` needs the hosts: state them (`network: { hosts: [NAME:PORT] }`)", at: named.place)
        }
        guard network == .client, let call = SystemCall(named: "connect", architecture: architecture) else { return }
        let rule = rules[call.number]?.first { $0.answer == .allow && $0.bound != .connections }
        guard let rule else { return }
        throw PolicyError(
            "`network: client` reaches other machines only, and this rule reaches any address: state "
                + "`bounded: connections`, or `network: host`",
            at: rule.place)
    }

    private func contradiction(of grant: PathGrant) -> String? {
        if paths.privateDirectories.contains(where: { $0.path == grant.path }) {
            return "the private directory has the same path: remove the grant, or move the directory (`at:`)"
        }
        if writeXorExecute, grant.rights.isSuperset(of: [.write, .execute]) {
            return "a file written here could be executed: `write` and `execute` contradict `write-xor-execute: on`"
        }
        let outer = paths.grants.last { $0.path != grant.path && PathText.isPath(grant.path, within: $0.path) }
        if let outer, outer.rights.contains(.read), !grant.rights.contains(.read) {
            return "no layer can forbid reading here, because `\(outer.path)` is granted with `read`"
        }
        return nil
    }
}

/// Takes each section from the last file that states it, and records the place of that statement.
private struct Joining {
    let documents: [PolicyDocument]
    let own: PolicyDocument
    var places: [PolicySection: PolicyPlace] = [:]

    mutating func last<Value>(
        _ what: String, in section: PolicySection, _ part: (PolicyDocument) -> PolicyDocument.Stated<Value>?
    ) throws(PolicyError) -> Value {
        guard let stated = documents.reversed().lazy.compactMap(part).first else { throw missing(what) }
        places[section] = stated.place
        return stated.value
    }

    func missing(_ what: String) -> PolicyError {
        PolicyError("neither this policy nor its includes state `\(what)`: add it", at: own.place)
    }

    mutating func paths() throws(PolicyError) -> PolicyPaths {
        var paths = PolicyPaths()
        paths.bundle = try last("paths: bundle", in: .bundle, \.bundle)
        let stated = try last("paths: private", in: .privateDirectory, \.privateDirectories)
        (paths.scratch, paths.persistent) = (stated.scratch, stated.persistent)
        paths.processFiles = try last("paths: proc", in: .processFiles, \.processFiles)
        // A policy that says nothing of `/etc` has no such files.
        let etc = documents.reversed().lazy.compactMap(\.etcFiles).first
        (paths.etcFiles, places[.etcFiles]) = (etc?.value ?? .none, etc?.place)
        var grants: [[UInt8]: PathGrant] = [:]
        for document in documents {
            for grant in document.grants.plain { grants[Array(grant.path.utf8)] = grant }
            paths.add(document.grants.callers)
        }
        paths.grants = grants.values.sorted { PathText.isPath($0.path, before: $1.path) }
        paths.repositories = documents.reversed().lazy.compactMap(\.repositories).first?.value ?? .none
        // No file takes back what an included one hides or protects.
        paths.parts = documents.flatMap(\.parts)
        return paths
    }

    mutating func limits() throws(PolicyError) -> PolicyLimits {
        var values: [LimitName: LimitValue] = [:]
        for document in documents {
            for (name, stated) in document.limits {
                values[name] = stated.value
                places[.limit(name)] = stated.place
            }
        }
        do throws(MissingLimit) {
            return try PolicyLimits(values)
        } catch {
            throw missing("limits: \(error.name.rawValue)")
        }
    }
}
