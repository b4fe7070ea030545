import AnnexLaunch
import AnnexLinux
import AnnexPolicy

/// A note about files that the program wanted to execute and could not, although their modes allow it.
///
/// Many programs go on without such a file. For example, git skips a hook that it must not execute, and commits. So the
/// note is printed after a success too.
struct ExecutionNote {
    /// The most files that the note names.
    private static let most = 3

    /// The note as one line.
    let line: String
    private let files: [String]

    /// - Returns: nil if there is no such file.
    init?(_ denials: [Denial], given: GivenPaths) {
        let paths = denials.compactMap { denial -> DeniedPath? in
            guard case .path(let path) = denial.subject, path.missing == .execute, !path.makesEntry else { return nil }
            return path
        }
        guard !paths.isEmpty else { return nil }
        let named = paths.prefix(Self.most)
        files = named.map { Self.shown($0) }
        let more = paths.count - named.count
        let rest = more == 0 ? "" : more == 1 ? " and 1 more file" : " and \(more) more files"
        line = files.joined(separator: ", ") + rest + " may not be executed" + Self.remedy(Array(named), given: given)
    }

    /// Whether a hint names the same files.
    func isSaid(by hint: RunHint?) -> Bool {
        guard let hint else { return false }
        return files.allSatisfy { hint.line.contains($0) }
    }

    private static func shown(_ path: DeniedPath) -> String { "\(PathText.shown(path.path, limit: 500))" }

    private static func remedy(_ paths: [DeniedPath], given: GivenPaths) -> String {
        let choices = paths.compactMap { path in path.grant.map { RunChoice($0.name, $0.path).shown } }
        guard !choices.isEmpty else { return "" }
        let written = paths.compactMap { GivenPaths.typed(given.write, containing: $0.path) }.last
        let other = written.map { place in
            ". For files that the program itself makes, use \(RunChoice("--write-execute", place).shown) instead of "
                + "--write \(ShellText.shown(place))"
        }
        return ": add " + choices.joined(separator: " ") + (other ?? "")
    }
}
