import AnnexLaunch
import AnnexLinux
import AnnexPolicy

/// Relative names among a program's arguments.
///
/// If no option hands over the caller's working directory or a directory above it, the program starts in an empty
/// directory with the same path. The relative names do not exist there, and no denial reports this.
struct RelativeNames {
    /// The most names that are looked up. A shell can pass any number of names.
    private static let most = 64

    /// The message after a failure. It is nil if no argument names a file of the working directory, or if the program
    /// could use these names.
    private let named: RunHint?

    /// - Returns: nil also if the program says that it looked for words. A word for which it looks can be the name of a
    ///   file too, and a full stop can be a pattern.
    func hint(for errors: StatedErrors) -> RunHint? {
        let isSearch = errors.mention("nothing appropriate", "no manual entry", "no matches", "no results")
        return isSearch ? nil : named
    }

    /// Looks the names up. Call this initialiser before the program runs. Later, the program could have put links in
    /// the places of the names.
    init(_ options: RunOptions, given: GivenPaths) {
        let arguments = options.program.dropFirst().prefix(Self.most)
        named = options.directory == nil ? Self.hint(for: arguments, given: given) : nil
    }

    private static func hint(for arguments: ArraySlice<String>, given: GivenPaths) -> RunHint? {
        guard let here = GivenPaths.resolved("."), !given.contain(here) else { return nil }
        guard let (name, path) = arguments.compactMap(file).first(where: { !given.contain($0.path) }) else {
            return nil
        }
        let shown = Escaped(name, limit: 200)
        let isInside = path.hasPrefix(here == "/" ? here : here + "/")
        let whole = isInside ? choices(".", leadingTo: here) : []
        if !whole.isEmpty { return hint(shown, choices: whole, meaning: ", which hands over the working directory") }
        let single = choices(name, leadingTo: path)
        return single.isEmpty ? nil : hint(shown, choices: single, meaning: "")
    }

    /// The options for a path that the launch accepts.
    private static func choices(_ typed: String, leadingTo path: String) -> [RunChoice] {
        let options: [(String, PathRights)] = [("--read", .read), ("--write", [.read, .write])]
        return options.filter { GrantOption.danger(of: path, $0.1) == nil }.map { RunChoice($0.0, typed) }
    }

    private static func hint(_ shown: Escaped, choices: [RunChoice], meaning: String) -> RunHint {
        let options = choices.map { $0.shown }.joined(separator: " or ")
        return RunHint(line: "\(shown) was not handed over: add \(options)\(meaning)", choices: choices)
    }

    /// The existing file that an argument names relative to the working directory: the name and the absolute path.
    private static func file(_ argument: String) -> (name: String, path: String)? {
        guard !argument.isEmpty, !argument.hasPrefix("/"), !argument.hasPrefix("-") else { return nil }
        return GivenPaths.resolved(argument).map { (argument, $0) }
    }
}
