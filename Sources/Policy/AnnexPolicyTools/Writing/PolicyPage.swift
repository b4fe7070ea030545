internal import AnnexLinux
internal import AnnexPolicy

/// The parts of a policy's text, for example of a text that `import` or `learn` proposes. The layout is the same as in
/// policies that people write.
package struct PolicyPage: Sendable {
    /// A group of calls with the same reason.
    struct Group: Sendable {
        let answer: CallAnswer
        let reason: String
        /// The entries without the leading `- `.
        let entries: [String]
        var bound: CallBound? = nil
    }

    let name: String
    let summary: String
    /// The comment lines at the top, without their `#`.
    var comments: [String] = []
    var includes: [String] = []
    var groups: [Group] = []
    /// Complete sections as text, for example `network: none`.
    var sections: [String] = []

    var text: String {
        var lines = comments.map { $0.isEmpty ? "#" : "# \(Self.oneLine($0))" }
        lines += ["policy: \(Self.scalar(name))", "summary: \(Self.scalar(summary))"]
        if !includes.isEmpty { lines.append("includes: [\(includes.joined(separator: ", "))]") }
        lines += section("allow") { $0 == .allow }
        lines += section("refuse") { if case .deny = $0 { true } else { false } }
        lines += section("end") { $0 == .end || $0 == .aborting }
        for section in sections { lines += ["", section] }
        return lines.joined(separator: "\n") + "\n"
    }

    private func section(_ name: String, _ belongs: (CallAnswer) -> Bool) -> [String] {
        let groups = groups.filter { belongs($0.answer) && !$0.entries.isEmpty }
        return groups.isEmpty ? [] : ["", "\(name):"] + groups.flatMap(Self.lines)
    }

    private static func lines(of group: Group) -> [String] {
        var lines = ["  - reason: \(scalar(group.reason))"]
        if case .deny(let errno, let isReported) = group.answer {
            lines.append("    answer: \(Errno.name(errno))")
            if isReported { lines.append("    report: on") }
        }
        if let bound = group.bound { lines.append("    bounded: \(bound.rawValue)") }
        if group.answer == .aborting { lines.append("    means: abort") }
        let areNames = group.entries.allSatisfy { !$0.hasPrefix("{") }
        if areNames, group.entries.count > 3 { return lines + wrapped(group.entries) }
        return lines + ["    calls:"] + group.entries.map { "      - \($0)" }
    }

    /// The names as one list, in lines of at most 110 columns.
    private static func wrapped(_ names: [String]) -> [String] {
        var lines = ["    calls: ["]
        for (index, name) in names.enumerated() {
            let item = name + (index == names.count - 1 ? "]" : ",")
            let last = lines[lines.count - 1]
            if last.utf8.count + item.utf8.count >= 110 {
                lines.append("      " + item)
            } else {
                lines[lines.count - 1] = last + (last.hasSuffix("[") ? "" : " ") + item
            }
        }
        return lines
    }

    /// A YAML scalar that reads back as the given text, whatever characters the text contains.
    static func scalar(_ text: String) -> String {
        let flat = oneLine(text)
        let isPlain = flat.first.map { $0.isASCII && ($0.isLetter || $0 == "/") } ?? false
        let doubtful = flat.contains(": ") || flat.contains(" #") || flat.hasSuffix(":") || flat.hasSuffix(" ")
        let words: Set = ["true", "false", "null", "yes", "no", "on", "off"]
        if isPlain, !doubtful, !words.contains(flat.lowercased()) { return flat }
        return "'" + flat.replacing("'", with: "''") + "'"
    }

    /// The text with each control character and line end replaced by a space. These characters have a meaning in YAML.
    static func oneLine(_ text: String) -> String {
        String(
            String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
    }
}
