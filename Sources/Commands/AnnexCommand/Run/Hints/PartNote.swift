import AnnexLinux
import AnnexSandbox

/// Notes about files that would have been protected if they had existed when the program started. Programs outside the
/// sandbox execute what such a file names.
enum PartNote {
    /// The most files that a note names.
    private static let most = 3

    static func lines(_ report: SandboxRunReport) -> [String] {
        [made(report.madeParts.map(\.path)), unlistable(report.unlistablePlaces)].compactMap { $0 }
    }

    private static func made(_ paths: [Escaped]) -> String? {
        guard !paths.isEmpty else { return nil }
        let (made, it) = paths.count == 1 ? ("which is", "it") : ("which are", "them")
        return "this run made \(list(paths)), \(made) protected from the next run on: look at \(it) before you "
            + "use the directory"
    }

    private static func unlistable(_ paths: [Escaped]) -> String? {
        guard !paths.isEmpty else { return nil }
        return "after this run, Annex could not list \(list(paths)), so it cannot say whether the run made "
            + "repositories there: look before you use the directory"
    }

    private static func list(_ paths: [Escaped]) -> String {
        let more = paths.count - most
        return paths.prefix(most).map { "\($0)" }.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
    }
}
