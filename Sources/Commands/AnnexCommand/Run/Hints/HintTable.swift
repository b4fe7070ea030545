import AnnexLinux
import AnnexPolicy
import Glibc

/// What programs print when a sandbox denies them something, and what they then need: `Policies/hints/run.yaml`.
struct HintTable {
    /// Programs that need several allowances. Only a call or a limit that ended the run comes before these rows.
    var programs: [HintRow] = []
    /// Limits that a program met without being ended.
    var limits: [HintRow] = []
    /// Errors that name neither the call nor the path that failed.
    var errors: [HintRow] = []
    /// Texts that programs print in place of the C library's text for an errno.
    var errnos: [(text: String, errno: Int32)] = []
    /// Calls that programs and their libraries try, but do not need; nil if there are none.
    var probes: PolicyFragment?
    /// Paths that libraries and programs try, and do not need. Everything below such a path belongs to it.
    var probedPaths: [String] = []
    /// Names below HOME that programs make anew. Everything below such a name belongs to it.
    var remade: [String] = []

    /// The table that this program contains. Its text is a constant, and a test reads it. If it could not be read
    /// nevertheless, a failed run would only have fewer hints.
    static let shipped =
        (try? ShippedTexts.hints["run"].map { text throws in try HintTable(text: text) }) ?? HintTable()

    init() {}

    /// - Throws: the first mistake, with its place.
    init(text: String) throws(PolicyError) {
        let root = try PolicyNode.root(of: text, file: "hints/run.yaml")
        let keys = ["programs", "limits", "errors", "errnos", "probes", "paths", "remade"]
        let values = try root.mapping("a table of hints", keys: keys)
        programs = try Self.rows(values["programs"], areLimits: false)
        limits = try Self.rows(values["limits"], areLimits: true)
        errors = try Self.rows(values["errors"], areLimits: false)
        for entry in try values["errnos"]?.entries("`errnos`") ?? [] {
            errnos.append((entry.name, try entry.value.errno()))
        }
        probedPaths = try values["paths"]?.texts() ?? []
        remade = try values["remade"]?.texts().map { $0.hasPrefix("~/") ? String($0.dropFirst(2)) : $0 } ?? []
        probes = try values["probes"].map { node throws(PolicyError) in try PolicyFragment(lines: node.texts()) }
    }

    private static func rows(_ node: PolicyNode?, areLimits: Bool) throws(PolicyError) -> [HintRow] {
        var rows: [HintRow] = []
        for item in try node?.list("a list of hints") ?? [] {
            let row = try HintRow(item)
            guard row.isLimit == areLimits else {
                throw item.error("a hint has `limit` if it stands under `limits:`, and only there")
            }
            rows.append(row)
        }
        return rows
    }
}

/// One row of the table: how it is recognized, and what then helps.
struct HintRow {
    /// Texts in small letters, of which the program printed one.
    let texts: [String]
    let errno: Int32?
    let signal: Int32?
    /// Texts of which one must be there as well. The list is empty if the row needs none.
    let with: [String]
    let without: [String]
    /// Whether the row also applies to a program that printed nothing.
    let isSilent: Bool
    /// Whether the row comes before the paths and the denied calls that the errors are about.
    let isFirst: Bool
    let need: Need
    /// Files of the caller's home, as `~/NAME`, and sockets that variables name, as `$NAME`. One of them must exist. The
    /// list is empty if the row needs none.
    let places: [String]
    let hint: String
    /// The hint if root calls annex and nothing helps then; nil if that makes no difference.
    let hintForRoot: String?
    /// What a program really printed.
    let recorded: [String]

    enum Need {
        /// Options that help. Each list is enough by itself.
        case options([[String]])
        /// A limit was met.
        /// - Parameters:
        ///   - refused: the bound by which the broker refused a call with `errno`; nil if there need be no such call.
        ///   - unless: calls whose denial explains the error otherwise.
        ///   - certainty: what else the error says about the limit.
        case limit(LimitName, refused: CallBound?, unless: [String], certainty: Certainty)
        /// A denied call is the cause. The fragment allows every call that the row is about.
        case denied(PolicyFragment)
        /// The policy denies calls, and programs do not say which ones.
        case calls([String])
        /// Files of the caller's home, as `~/NAME`, and the option that hands them over.
        case files([String], option: String)
        /// The socket that one of these variables of the caller's environment names.
        case socket([String])
        case run(NeedOfRun)
        /// Nothing helps.
        case nothing
    }

    /// What an error says about a limit.
    enum Certainty: String, CaseIterable {
        case sure
        /// The error may have another cause.
        case perhaps
        /// A thread could not start. Its stack counts as memory, so the limit of memory may be the cause too.
        case orStacks = "or-stacks"
    }

    /// What only the run itself shows.
    enum NeedOfRun: String, CaseIterable {
        case writtenCode = "to-execute-what-it-writes"
        case temporaryCode = "to-execute-temporary-files"
        case namedCall = "the-call-that-it-names"
        case environment = "its-virtual-environment"
        case program = "a-program-of-your-path"
        case gitDirectory = "its-git-directory"
        case between = "one-place-in-place-of-two"
        case list = "a-list-of-all-denials"
    }

    private static let keys = [
        "texts", "errno", "signal", "with", "without", "silent", "first", "where", "hint", "as-root", "recorded",
        "refused", "unless-denied", "certainty",
    ]
    /// The keys that say what helps. A row has at most one of them.
    private static let needs = ["allow", "options", "limit", "denied", "calls", "read", "execute", "socket", "needs"]

    init(_ node: PolicyNode) throws(PolicyError) {
        let values = try node.mapping("a hint", keys: Self.keys + Self.needs)
        texts = try values["texts"]?.texts() ?? []
        errno = try values["errno"].map { node throws(PolicyError) in try node.errno() }
        signal = try values["signal"].map { node throws(PolicyError) in
            guard try node.text("a signal") == "SIGXFSZ" else { throw node.error("the signal must be SIGXFSZ") }
            return SIGXFSZ
        }
        with = try values["with"]?.texts() ?? []
        without = try values["without"]?.texts() ?? []
        isSilent = try Self.isTrue("silent", in: values)
        isFirst = try Self.isTrue("first", in: values)
        let needs = Self.needs.filter { values[$0] != nil }
        guard needs.count < 2 else { throw node.error("a hint has one of \(needs.joined(separator: " and "))") }
        let details = ["refused", "unless-denied", "certainty"].filter { values[$0] != nil }
        guard values["limit"] != nil || details.isEmpty else {
            throw node.error("`\(details[0])` is a detail of `limit`, which is missing")
        }
        need = try Self.need(values)
        places = try values["where"]?.texts() ?? []
        if let place = places.first(where: { !$0.hasPrefix("~/") && !$0.hasPrefix("$") }) {
            throw node.error(
                "`where` has files of a home (~/NAME) and variables ($NAME), and `\(Escaped(place))` is neither")
        }
        hint = try values["hint"]?.text("`hint`") ?? ""
        hintForRoot = try values["as-root"]?.text("`as-root`")
        recorded = try values["recorded"]?.texts() ?? []
    }

    private static func isTrue(_ key: String, in values: [String: PolicyNode]) throws(PolicyError) -> Bool {
        guard let node = values[key] else { return false }
        guard try node.text("`\(key)`") == "true" else { throw node.error("`\(key)` must be true, or left out") }
        return true
    }

    private static func need(_ values: [String: PolicyNode]) throws(PolicyError) -> Need {
        if let names = try values["allow"]?.texts() { return .options([names.flatMap { ["--allow", $0] }]) }
        if let lists = try values["options"]?.list("`options`") {
            var options: [[String]] = []
            for list in lists { options.append(try list.texts()) }
            return .options(options)
        }
        if let limit = try values["limit"]?.word("limit", among: LimitName.self) {
            return .limit(
                limit, refused: try values["refused"]?.word("refused", among: CallBound.self),
                unless: try values["unless-denied"]?.texts() ?? [],
                certainty: try values["certainty"]?.word("certainty", among: Certainty.self) ?? .sure)
        }
        if let names = try values["calls"]?.texts() { return .calls(names) }
        for key in ["read", "execute"] {
            if let names = try values[key]?.texts() { return .files(names, option: "--" + key) }
        }
        if let names = try values["socket"]?.texts() { return .socket(names) }
        if let lines = try values["denied"]?.texts() { return .denied(try PolicyFragment(lines: lines)) }
        guard let need = try values["needs"]?.word("needs", among: NeedOfRun.self) else { return .nothing }
        return .run(need)
    }

    var isLimit: Bool {
        if case .limit = need { true } else { false }
    }

    /// Whether the program's last lines, or the signal that ended it, are those of the row.
    func applies(to errors: StatedErrors, signal: Int32? = nil) -> Bool {
        let isStated =
            texts.contains { errors.mention($0) } || errno.map(errors.states) == true
            || self.signal != nil && self.signal == signal || isSilent && errors.isEmpty
        return isStated && (with.isEmpty || with.contains { errors.mention($0) })
            && !without.contains { errors.mention($0) }
    }
}

extension PolicyNode {
    /// The texts of a list, or a single text.
    fileprivate func texts() throws(PolicyError) -> [String] {
        var texts: [String] = []
        for node in oneOrMany() { texts.append(try node.text("each item")) }
        return texts
    }
}
