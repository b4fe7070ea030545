public import AnnexPolicy

extension Policy {
    /// This policy as one text without includes. Reading this text gives the same policy again.
    public var joinedText: String {
        var page = PolicyPage(name: name, summary: summary)
        page.comments = ["All includes are joined in, for \(architecture.rawValue)."]
        page.groups = writtenGroups
        page.sections = [
            "unlisted: { known: \(CallAnswer.deny(errno: unlisted.known, reported: true).word), "
                + "unknown: \(CallAnswer.deny(errno: unlisted.unknown, reported: true).word) }",
            paths.written, "devices: [\(devices.map(\.rawValue).joined(separator: ", "))]",
            "network: \(writtenNetwork)", "write-xor-execute: \(writeXorExecute ? "on" : "off")",
            environment.written, limits.written,
        ]
        return page.text
    }

    private var writtenNetwork: String {
        guard network == .hosts, !hosts.list.isEmpty || hosts.check != HostRules().check else {
            return network.rawValue
        }
        let list = hosts.list.map { PathText.quoted($0.description) }.joined(separator: ", ")
        return "{ hosts: [\(list)], check: \(hosts.check.rawValue) }"
    }

    /// The rules as the text states them, before `write-xor-execute` and `network: hosts` narrow them.
    private var writtenGroups: [PolicyPage.Group] {
        let stated = rules.merging(widerRules) { $1 }
        let all = stated.values.joined().sorted { $0.place.comesBefore($1.place) }
        var groups: [(answer: CallAnswer, bound: CallBound?, reason: String, file: String, entries: [String])] = []
        for rule in all {
            let entries = rule.entries(for: architecture)
            if let last = groups.indices.last, groups[last].answer == rule.answer, groups[last].bound == rule.bound,
                groups[last].reason == rule.reason, groups[last].file == rule.place.file
            {
                groups[last].entries += entries
            } else {
                groups.append((rule.answer, rule.bound, rule.reason, rule.place.file, entries))
            }
        }
        return groups.map {
            PolicyPage.Group(answer: $0.answer, reason: $0.reason, entries: $0.entries, bound: $0.bound)
        }
    }
}

extension PolicyPaths {
    /// The section `paths` in the policy's language.
    var written: String {
        var lines = [
            "paths:", "  bundle: \(bundle)", "  private: \(writtenPrivate)", "  proc: \(processFiles.rawValue)",
        ]
        if etcFiles != .none { lines.append("  etc: \(etcFiles.rawValue)") }
        if repositories != .none { lines.append("  repositories: \(repositories.rawValue)") }
        lines.append(grants.isEmpty && callersGrants.isEmpty ? "  grants: []" : "  grants:")
        for grant in grants {
            lines.append("    - reason: \(PolicyPage.scalar(grant.reason))")
            lines.append("      rights: \(grant.rights)")
            if grant.isOptional { lines.append("      missing: skip") }
            lines.append("      paths: [\(PathText.quoted(grant.path))]")
        }
        for grant in callersGrants {
            lines.append("    - reason: \(PolicyPage.scalar(grant.reason))")
            lines.append("      rights: \(grant.rights)")
            if grant.isOptional { lines.append("      missing: skip") }
            if grant.kind != .any { lines.append("      kind: \(grant.kind.rawValue)") }
            lines.append("      paths: [\(PathText.quoted(grant.pattern))]")
        }
        for kind in PathPart.Kind.allCases { lines += written(kind) }
        return lines.joined(separator: "\n")
    }

    private func written(_ kind: PathPart.Kind) -> [String] {
        let own = parts.filter { $0.kind == kind }
        guard !own.isEmpty else { return [] }
        return ["  \(kind.rawValue):"]
            + own.flatMap { part in
                [
                    "    - reason: \(PolicyPage.scalar(part.reason))",
                    "      patterns: [\(PathText.quoted(part.pattern.text))]",
                ]
            }
    }

    private var writtenPrivate: String {
        let kinds = [("scratch", scratch), ("persistent", persistent)].compactMap { kind, directory in
            directory.map { "\(kind): \($0.written)" }
        }
        return kinds.isEmpty ? "none" : "{ \(kinds.joined(separator: ", ")) }"
    }
}

extension PolicyPaths.PrivateDirectory {
    fileprivate var written: String {
        let place = path == PolicyPaths.usualPrivatePath ? "" : ", at: \(PathText.quoted(path))"
        return "{ size: \(Quantity.text(bytes: size)), inodes: \(inodes)\(place) }"
    }
}

extension PolicyEnvironment {
    var written: String {
        var lines = ["environment:", "  pass: [\(passed.map(PolicyPage.scalar).joined(separator: ", "))]"]
        lines.append(fixed.isEmpty ? "  set: {}" : "  set:")
        for (name, value) in fixed.sorted(by: { $0.key < $1.key }) {
            lines.append("    \(PolicyPage.scalar(name)): \(PolicyPage.scalar(value))")
        }
        return lines.joined(separator: "\n")
    }
}

extension PolicyLimits {
    var written: String {
        (["limits:"] + values.map { "  \($0.name.rawValue): \($0.value.text)" }).joined(separator: "\n")
    }
}
