extension Policy {
    /// This policy with the additions of fragments. A fragment belongs to an entitlement or an allowance. The order of
    /// the fragments does not matter. If a fragment was joined before, joining it again changes nothing.
    ///
    /// Every call, path, device and variable that this policy allows stays allowed. No fragment of an entitlement
    /// changes `write-xor-execute`, the setting that keeps written memory from being executed. If this policy ends the
    /// process for a call, the joined policy does so too, unless a fragment allows the call.
    ///
    /// - Throws: an error if a fragment contradicts the policy. For example, it sets a variable to another value, or
    ///   `write-xor-execute: on` forbids a call of the fragment.
    public func joined(with fragments: [PolicyFragment]) throws(PolicyError) -> Policy {
        guard !fragments.isEmpty else { return self }
        let fragments = fragments.sorted { $0.identifier < $1.identifier }
        var policy = self
        policy.name = JoinedName(name).adding(fragments.map(\.identifier)).joined
        for fragment in fragments { try policy.addSections(of: fragment) }
        if fragments.contains(where: \.changesFilter) { policy.book = try policy.joinedBook(with: fragments) }
        if policy.network != network { try policy.rejectUnboundedConnections() }
        try policy.rejectContradictions()
        return policy
    }

    private mutating func addSections(of fragment: PolicyFragment) throws(PolicyError) {
        if let stated = fragment.writeXorExecute, writeXorExecute, !stated.value {
            writeXorExecute = false
            book = book.stating(.writeXorExecute, at: stated.place)
        }
        if let stated = fragment.network {
            if stated.value.kind.reach > network.reach {
                network = stated.value.kind
                book = book.stating(.network, at: stated.place)
            }
            hosts.add(stated.value.hosts.list)
        }
        if let stated = fragment.devices, !Set(stated.value).isSubset(of: devices) {
            devices += stated.value.filter { !devices.contains($0) }
            book = book.stating(.devices, at: stated.place)
        }
        if let stated = fragment.environment {
            try environment.add(stated.value, of: fragment.identifier, at: stated.place)
        }
        for (name, stated) in fragment.limits {
            guard limits.raise(name, to: stated.value) else { continue }
            book = book.stating(.limit(name), at: stated.place)
        }
        paths = granting(fragment.grants.plain).paths
        paths.add(fragment.grants.callers)
        if let stated = fragment.repositories, stated.value != .none { paths.repositories = stated.value }
        if let stated = fragment.processFiles, stated.value.reach > paths.processFiles.reach {
            paths.processFiles = stated.value
            book = book.stating(.processFiles, at: stated.place)
        }
    }

    /// The rules of this policy and of the fragments. `write-xor-execute` narrows the joined rules again, because this
    /// setting concerns all rules together.
    private func joinedBook(with fragments: [PolicyFragment]) throws(PolicyError) -> RuleBook {
        var stated = rules.merging(widerRules) { $1 }
        let names = Set(fragments.flatMap(\.calls.keys))
        for name in names {
            guard let call = SystemCall(named: name, architecture: architecture) else { continue }
            let added = fragments.compactMap { $0.calls[name] }
            stated[call.number] = CallRule.joined(added + [stated[call.number] ?? []])
        }
        try Self.rejectTooMany(stated)
        let narrowed = try Self.narrowed(stated, writeXorExecute: writeXorExecute, network: network, for: architecture)
        let rules = stated.merging(narrowed) { $1 }
        try Self.rejectTooMany(rules)
        return RuleBook(
            RuleBook.Contents(
                rules: rules, wider: stated.filter { narrowed[$0.key] != nil }, unlisted: unlisted, places: places))
    }
}

extension CallRule {
    /// The kinds of answers to a call, in the order in which they decide the answer of the joined list. If any of the
    /// joined lists allows a call, the call is allowed. If any of these lists allows the call without a bound, the
    /// call has no bound. So a list never removes a right that another list gives.
    private enum Rank: CaseIterable {
        case free, bounded, denied, ended

        init(_ rule: CallRule) {
            switch rule.answer {
            case .allow: self = rule.bound == nil ? .free : .bounded
            case .deny: self = .denied
            case .end, .aborting: self = .ended
            }
        }
    }

    /// Joins several lists of rules about one call into one list. Rules that could never decide are left out.
    ///
    /// libseccomp knows no order of rules. If an earlier rule allows some of the calls that a later rule denies
    /// silently, no filter can express the later rule. The later rule therefore becomes a reported denial. The filter
    /// then refers the calls of this rule to the broker, which knows the order of the rules.
    fileprivate static func joined(_ lists: [[CallRule]]) -> [CallRule] {
        let all = Array(lists.joined())
        var kept: [CallRule] = []
        for rank in Rank.allCases {
            for rule in all where Rank(rule) == rank {
                let isDecided = kept.contains { $0.conditions.isEmpty || $0.conditions == rule.conditions }
                if isDecided { continue }
                let isCut = kept.contains { $0.answer == .allow && $0.overlaps(rule) }
                kept.append(isCut ? rule.reported : rule)
            }
        }
        return kept
    }
}

extension CallRule {
    /// Whether both rules may apply to the same call. The result is false only if the conditions of the rules exclude
    /// each other.
    fileprivate func overlaps(_ other: CallRule) -> Bool {
        conditions.allSatisfy { own in
            other.conditions.filter { $0.index == own.index }.allSatisfy { theirs in
                own.alternatives.contains { first in
                    theirs.alternatives.contains { first.joined(with: $0) != .never }
                }
            }
        }
    }
}

extension PolicyNetwork {
    /// A number that orders the kinds of network: a larger number gives more of the network.
    fileprivate var reach: Int {
        switch self {
        case .none: 0
        case .loopback: 1
        case .hosts: 2
        case .client: 3
        case .host: 4
        }
    }
}

extension PolicyPaths.ProcessFiles {
    /// A number that orders the values: a larger number shows more files of `/proc`.
    fileprivate var reach: Int {
        switch self {
        case .none: 0
        case .minimal: 1
        case .full: 2
        }
    }
}

extension PolicyEnvironment {
    fileprivate mutating func add(
        _ more: PolicyEnvironment, of entitlement: String, at place: PolicyPlace
    ) throws(PolicyError) {
        passed += more.passed.filter { !passed.contains($0) }
        for (name, value) in more.fixed.sorted(by: { $0.key < $1.key }) {
            guard fixed[name] == nil || fixed[name] == value else {
                throw PolicyError("\(entitlement) sets `\(name)`, which the policy sets to another value", at: place)
            }
            fixed[name] = value
        }
    }
}

/// The name of a policy and of the fragments that are joined to it: `NAME+FRAGMENT+FRAGMENT`.
package struct JoinedName: Sendable, Hashable {
    package let policy: String
    /// The names of the fragments, sorted. Each name occurs once.
    package let fragments: [String]

    /// Splits a joined name.
    package init(_ name: String) {
        let parts = name.utf8.split(separator: UInt8(ascii: "+"), omittingEmptySubsequences: false).map(Substring.init)
        self.init(policy: String(parts[0]), fragments: parts.dropFirst().map(String.init))
    }

    package init(policy: String, fragments: [String]) {
        self.policy = policy
        self.fragments = Set(fragments).sorted()
    }

    package func adding(_ more: [String]) -> JoinedName {
        JoinedName(policy: policy, fragments: fragments + more)
    }

    /// The joined name.
    package var joined: String { ([policy] + fragments).joined(separator: "+") }
}
