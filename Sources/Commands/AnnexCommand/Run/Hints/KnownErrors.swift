import AnnexLaunch
import AnnexLinux
import AnnexPolicy
internal import AnnexSandbox
import Glibc

/// The hints for errors that are in the table: well-known programs print them without the call or the path that failed.
struct KnownErrors {
    let errors: StatedErrors
    let policy: Policy
    let allowances: Allowances
    let given: GivenPaths
    /// The options that this run had. They have not helped.
    var tried = TriedOptions()

    /// The hint of the first row that applies and for which something is left to add. Nil if there is none.
    func hint(_ rows: [HintRow], denials: [Denial]) -> RunHint? {
        for row in rows where row.applies(to: errors) {
            if let hint = hint(row, denials: denials).flatMap(tried.without) { return hint }
        }
        return nil
    }

    private func hint(_ row: HintRow, denials: [Denial]) -> RunHint? {
        let place = row.places.lazy.compactMap(existing).first
        guard place != nil || row.places.isEmpty else { return nil }
        let values = place.map { ["place": "\(Escaped($0, limit: 500))"] } ?? [:]
        if geteuid() == 0, let line = row.hintForRoot { return RunHint(line: Self.line(line, values: values)) }
        return hint(row, denials: denials, values: values)
    }

    private func hint(_ row: HintRow, denials: [Denial], values: [String: String]) -> RunHint? {
        switch row.need {
        case .options(let lists): options(lists, in: row, values: values)
        case .denied(let calls): denied(calls, among: denials)
        case .calls(let names): calls(names, in: row)
        case .files(let names, let option): files(names, option: option, in: row)
        case .socket(let variables): socket(variables, in: row)
        case .run(let need): hint(need, in: row)
        case .nothing, .limit: RunHint(line: row.hint)
        }
    }

    private func options(_ lists: [[String]], in row: HintRow, values: [String: String]) -> RunHint? {
        let choices = lists.map { RunChoice(missing($0)) }
        guard choices.contains(where: { !$0.options.isEmpty }) else { return nil }
        return RunHint(line: Self.line(row.hint, choices: choices, values: values), choices: choices)
    }

    /// The options without the allowances that the program has already.
    func missing(_ options: [String]) -> [String] {
        var missing: [String] = []
        var rest = options[...]
        while let name = rest.popFirst(), let value = rest.popFirst() {
            if name != "--allow" || allowances.isMissing(value) { missing += [name, value] }
        }
        return missing
    }

    /// The line with `{1}` and `{2}` replaced by the options, and other words in braces by their values.
    static func line(_ line: String, choices: [RunChoice] = [], values: [String: String] = [:]) -> String {
        let numbered = choices.enumerated().map { ("\($0 + 1)", $1.shown) }
        let known = values.merging(numbered) { first, _ in first }
        // One pass, because a value can be a path with braces.
        let parts = line.split(separator: "{", omittingEmptySubsequences: false)
        return parts.dropFirst().reduce(String(parts.first ?? "")) { text, part in
            guard let end = part.firstIndex(of: "}"), let value = known[String(part[..<end])] else {
                return "\(text){\(part)"
            }
            return text + value + part[part.index(after: end)...]
        }
    }

    private func denied(_ calls: PolicyFragment, among denials: [Denial]) -> RunHint? {
        denials.last { !$0.isQuiet && calls.allows($0) }.map { RunHint($0, beside: allowances) }
    }

    private func hint(_ need: HintRow.NeedOfRun, in row: HintRow) -> RunHint? {
        switch need {
        case .writtenCode: writtenCode(row)
        case .temporaryCode:
            policy.paths.scratch.flatMap { scratch in
                PathHint(policy: policy, allowances: allowances, given: given)
                    .temporaryHint(Self.line(row.hint, values: ["scratch": scratch.path]))
            }
        case .namedCall: namedCall(row)
        case .environment: environment(row)
        case .program: programOfPath(row)
        case .gitDirectory: gitDirectory(row)
        case .between: between(row)
        case .list: row.errno.flatMap(unrecorded)
        }
    }

    private func writtenCode(_ row: HintRow) -> RunHint? {
        guard let place = given.write.last?.typed else { return nil }
        let choice = RunChoice("--write-execute", place)
        let line = Self.line(row.hint, choices: [choice], values: ["written": "--write \(ShellText.shown(place))"])
        return RunHint(line: line, choices: [choice])
    }

    /// The hint for a call that the program named in its error, if the policy denies this call with the row's errno and
    /// an allowance is for it.
    private func namedCall(_ row: HintRow) -> RunHint? {
        for name in errors.callNames {
            guard let call = SystemCall(named: name), let errno = row.errno else { continue }
            let use = CallUse(naming: call)
            guard case .deny(errno, _) = policy.answer(use) else { continue }
            let choices = choices(for: [use])
            guard !choices.isEmpty else { continue }
            return RunHint(line: Self.line(row.hint, choices: choices, values: ["call": name]), choices: choices)
        }
        return row.errno.flatMap(unrecorded)
    }

    /// The hint if the policy denies calls with an errno and does not record them. The list of all denials has the call.
    private func unrecorded(_ errno: Int32) -> RunHint? {
        if tried.isExplained { return nil }
        let name = Errno.name(errno)
        return RunHint(
            line: "the policy may have denied a call with \(name), which it does not record because most programs do "
                + "without this call")
    }

    /// The calls that the policy denies and programs do not name. One choice allows them all.
    private func calls(_ names: [String], in row: HintRow) -> RunHint? {
        let denied = names.compactMap { SystemCall(named: $0).map(CallUse.init(naming:)) }
            .filter { policy.answer($0) != .allow }
        let choices = choices(for: denied)
        return choices.isEmpty ? nil : RunHint(line: Self.line(row.hint, choices: choices), choices: choices)
    }

    /// The allowances that allow all these calls. If there are none, one choice with a line for each call.
    private func choices(for denied: [CallUse]) -> [RunChoice] {
        guard let first = denied.first else { return [] }
        let whole = allowances.allowing(first).filter { denied.allSatisfy($0.allows) }
        if !whole.isEmpty { return whole.map { RunChoice(allowing: $0) } }
        var options: [String] = []
        for use in denied {
            guard let remedy = policy.verdict(number: use.number, arguments: use.arguments).remedy,
                let choice = RunRemedy.choices(for: remedy, among: allowances).first
            else { return [] }
            options += choice.options
        }
        return [RunChoice(options).withoutRepetition]
    }

    private func environment(_ row: HintRow) -> RunHint? {
        guard let place = given.virtualEnvironment,
            let grant = GrantOption(for: place, rights: [.read, .execute], beside: policy)
        else { return nil }
        if given.contain(place) { return nil }
        let choice = RunChoice(grant.name, grant.path)
        let line = Self.line(row.hint, choices: [choice], values: ["environment": "\(Escaped(place, limit: 500))"])
        return RunHint(line: line, choices: [choice])
    }
}

extension CallUse {
    /// A call of which only the name is known.
    fileprivate init(naming call: SystemCall) {
        self.init(number: call.number, arguments: [0, 0, 0, 0, 0, 0])
    }
}

extension PolicyFragment {
    /// Whether the fragment's rules allow the denied call. They never allow the call of a denied path.
    func allows(_ denial: Denial) -> Bool {
        if case .call(let use) = denial.subject { allows(use) } else { false }
    }
}
