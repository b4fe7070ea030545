internal import AnnexLinux
internal import AnnexPolicy

/// The entries of a profile as rules of a policy.
struct ProfileRules: Sendable {
    /// The rules that decide, each with the index of its entry, in the profile's order.
    private(set) var rules: [(rule: CallRule, entry: Int)] = []
    /// The names that are not calls on any architecture of Annex, in the profile's order.
    private(set) var unknown: [String] = []

    init(_ profile: ContainerProfile) throws(PolicyError) {
        var byCall: [String: [(rule: CallRule, entry: Int)]] = [:]
        for (index, entry) in profile.entries.enumerated() where entry.action != profile.defaultAction {
            for name in entry.names {
                guard let call = SystemCall(named: name, architecture: profile.world.architecture) else {
                    if !SystemCallTable.allNames.contains(name) {
                        unknown.append(Escaped(name, limit: 200).description)
                    }
                    continue
                }
                byCall[call.name, default: []] += entry.rules(for: call).map { ($0, index) }
            }
        }
        try Self.rejectContradictionOfLaunch(byCall, in: profile)
        for (call, found) in byCall where !LaunchCalls.names.contains(call) { rules += Self.deciding(found) }
        rules.sort { ($0.entry, $0.rule.call) < ($1.entry, $1.rule.call) }
    }

    /// The deciding rules among one call's rules. In libseccomp, a rule without conditions replaces all other rules
    /// of its call.
    private static func deciding(_ found: [(rule: CallRule, entry: Int)]) -> [(rule: CallRule, entry: Int)] {
        if let always = found.first(where: { $0.rule.conditions.isEmpty }) { return [always] }
        var seen: Set<[CallCondition]> = []
        return found.filter { seen.insert($0.rule.conditions).inserted }
    }

    private static func rejectContradictionOfLaunch(
        _ byCall: [String: [(rule: CallRule, entry: Int)]], in profile: ContainerProfile
    ) throws(PolicyError) {
        for name in LaunchCalls.names.sorted() {
            let found = byCall[name].map(deciding) ?? []
            if found.count == 1, found[0].rule.answer == .allow, found[0].rule.conditions.isEmpty { continue }
            let place = found.first?.rule.place ?? profile.place
            throw PolicyError(
                "the profile does not always allow `\(name)`, which every launch of Annex needs; allow it there without "
                    + "conditions",
                at: place)
        }
    }
}

extension ContainerProfile.Entry {
    fileprivate func rules(for call: SystemCall) -> [CallRule] {
        let conditions = alternatives.isEmpty ? [[]] : alternatives
        return conditions.map { conditions in
            CallRule(call: call.name, conditions: conditions, answer: action.answer, reason: reason, place: place)
        }
    }

    /// The profile's own comment. If the entry has none, this is the entry's path.
    var reason: String {
        let asked = asks.isEmpty ? "" : " (\(asks.joined(separator: "; ")))"
        let said = comment.map { Escaped($0, limit: 200).description } ?? ""
        return (said.isEmpty ? "\(path.dropFirst(2)) of \(place.file)" : said) + asked
    }
}

extension ContainerProfile.Action {
    var answer: CallAnswer {
        switch self {
        case .allow: .allow
        case .errno(let number): .deny(errno: number, reported: false)
        case .kill: .end
        }
    }
}
