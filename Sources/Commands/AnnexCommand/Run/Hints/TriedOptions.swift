import AnnexSandbox

/// The options of a run that failed. They have not helped, so no hint names them.
struct TriedOptions {
    private var words: [(name: String, value: String)] = []
    private var given: GivenPaths?
    /// Whether the run listed every denied call.
    private(set) var isExplained = false

    init() {}

    init(_ options: RunOptions, given: GivenPaths) {
        let lists = [
            ("--allow", options.allow), ("--allow-line", options.allowLine), ("--limit", options.limit),
            ("--env", options.env), ("--unprotect", options.unprotect),
            ("--allow-host", options.hosts.map { "\($0)" }),
            ("--allow-port", options.ports.allowed.map { "\($0)" }),
            ("--publish", options.ports.published.filter { $0.machine == $0.program }.map { "\($0.program)" }),
        ]
        words = lists.flatMap { name, values in values.map { (name: name, value: $0) } }
        self.given = given
        isExplained = options.explain
    }

    /// The hint without the choices that the run had already. Nil if the hint has no other choice. A hint without any
    /// choice says that nothing helps, and stays as it is.
    func without(_ hint: RunHint) -> RunHint? {
        guard !hint.choices.isEmpty else { return hint }
        let left = hint.choices.filter { !hasAll(of: $0) }
        if left.isEmpty { return nil }
        return RunHint(line: Self.line(hint, left: left), choices: left)
    }

    /// The line without the options of the other choices, if the line lists all choices with `, or ` between them.
    private static func line(_ hint: RunHint, left: [RunChoice]) -> String {
        let list = hint.choices.map(\.stated).joined(separator: ", or ")
        return hint.line.replacing(list, with: left.map(\.stated).joined(separator: ", or "))
    }

    private func hasAll(of choice: RunChoice) -> Bool {
        let options = choice.options
        guard options.count.isMultiple(of: 2), !options.isEmpty else { return false }
        return stride(from: 0, to: options.count, by: 2).allSatisfy { has(options[$0], value: options[$0 + 1]) }
    }

    private func has(_ name: String, value: String) -> Bool {
        guard ["--read", "--write", "--execute", "--write-execute"].contains(name) else {
            return words.contains {
                $0.name == name && ($0.value == value || name == "--unprotect" && $0.value == "all")
            }
        }
        // A directory that contains the path may have been handed over with other rights inside. So only the same path
        // counts.
        guard let given, let place = GivenPaths.resolved(value) else { return false }
        return given.pairs(of: name).contains { $0.path == place }
    }
}
