internal import AnnexPolicy

/// A page in Markdown about a policy, for the people who rely on the policy. The page lists the calls and paths that the
/// policy allows, the calls that it denies with their errnos, and the calls that end the program. The reasons come from
/// the policy's own text.
struct PolicyManual {
    let policy: Policy

    var text: String {
        let parts = [
            ["# The policy `\(policy.name)`", policy.summary.asMarkdown, origin], gives, files, others, denied, ended,
            allowances,
        ]
        return parts.joined().joined(separator: "\n\n") + "\n"
    }

    private var origin: String {
        "`annex policy explain \(policy.name) --document` makes this page from the policy's text. The reasons are the policy's own."
    }

    private var gives: [String] {
        ["## The calls that it allows"]
            + table(["reason", "calls"], of: policy.groups { $0 == .allow }) { group in
                [group.reason.asMarkdown, calls(group)]
            }
    }

    /// Paths with the same rights and the same reason share a row.
    private var files: [String] {
        let visible = policy.visiblePaths
        var order: [[String]] = []
        var paths: [[String]: [String]] = [:]
        for one in visible {
            let key = [
                "\(one.rights)".filter { $0 != "[" && $0 != "]" },
                one.reason.asMarkdown,
            ]
            if paths[key] == nil { order.append(key) }
            paths[key, default: []].append("`\(one.path)`")
        }
        let rows = order.map { [(paths[$0] ?? []).joined(separator: ", ")] + $0 }
        let shown = rows.isEmpty ? "None." : Self.table(["paths", "rights", "reason"], rows: rows)
        return ["## The files that it shows", shown]
    }

    private var others: [String] {
        let facts = policy.facts.filter { $0.title != "Paths" }
        return ["## Everything else that it states"]
            + [
                Self.table(
                    ["statement", "value"],
                    rows: facts.map { [$0.title, $0.items.map(\.asMarkdown).joined(separator: "<br>")] })
            ]
    }

    private var denied: [String] {
        let unlisted = policy.unlisted
        let rest = [
            [
                "every other call", CallAnswer.deny(errno: unlisted.known, reported: true).word,
                "The report names the call.",
            ],
            [
                "numbers that no known kernel has", CallAnswer.deny(errno: unlisted.unknown, reported: true).word,
                "New C libraries try new calls, and use older calls if the result is ENOSYS.",
            ],
        ]
        let rows = policy.groups { if case .deny = $0 { true } else { false } }.map { group in
            [calls(group), group.answer.word, group.reason.asMarkdown]
        }
        let zero =
            "With `0`, the call has no effect, but the program believes that it succeeded. Calls with a row of their own are not reported."
        return [
            "## What it denies, and what the program gets", zero,
            Self.table(["calls", "answer", "reason"], rows: rows + rest),
        ]
    }

    private var ended: [String] {
        let groups = policy.groups { $0 == .end || $0 == .aborting }
        guard !groups.isEmpty else { return [] }
        return ["## What ends the program"]
            + table(["reason", "calls"], of: groups) { [$0.reason.asMarkdown, calls($0)] }
    }

    /// The section about allowances, the additions that `annex run --allow` makes to a policy. Only the page about
    /// the policy `tool` has this section. The policies of extension points have no such section, because no
    /// extension can claim an allowance.
    private var allowances: [String] {
        let rows = PolicyLibrary.shipped.allowances.compactMap { name in
            (try? PolicyFragment.shipped(name)).map { ["`\(name)`", $0.means.asMarkdown] }
        }
        guard policy.name == "tool", !rows.isEmpty else { return [] }
        return ["## What an allowance adds", Self.table(["allowance", "effect"], rows: rows)]
    }

    private func calls(_ group: CallRuleGroup) -> String {
        let plain = group.calls.filter { !$0.contains(" ") }
        let conditional = group.calls.filter { $0.contains(" ") }
        return ([plain.joined(separator: ", ")] + conditional).filter { !$0.isEmpty }.map(\.asMarkdown)
            .joined(separator: "<br>")
    }

    private func table(_ titles: [String], of groups: [CallRuleGroup], row: (CallRuleGroup) -> [String]) -> [String] {
        [Self.table(titles, rows: groups.map(row))]
    }

    private static func table(_ titles: [String], rows: [[String]]) -> String {
        let lines = [titles, titles.map { _ in "---" }] + rows
        return lines.map { "| " + $0.joined(separator: " | ") + " |" }.joined(separator: "\n")
    }
}

extension String {
    /// The text for a cell of a table. A policy's text can contain characters that have a meaning in Markdown.
    fileprivate var asMarkdown: String {
        let special: Set<Character> = ["\\", "|", "<", ">", "*", "[", "]"]
        var isCode = false
        return reduce(into: "") { text, character in
            if character == "`" { isCode.toggle() }
            text += special.contains(character) && !(isCode && character != "|") ? "\\\(character)" : String(character)
        }
    }
}
