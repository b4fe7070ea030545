import AnnexLinux
import AnnexSandbox

/// A note about files that would have been protected if they had existed when the program started. Programs outside the
/// sandbox execute what such a file names.
struct PartNote {
    /// The most files that the note names.
    private static let most = 3

    /// The note as one line.
    let line: String

    /// - Returns: nil if there is no such file.
    init?(_ parts: [SandboxRunReport.ProtectedPart]) {
        guard !parts.isEmpty else { return nil }
        let more = parts.count - Self.most
        let rest = more > 0 ? " and \(more) more" : ""
        let (made, it) = parts.count == 1 ? ("which is", "it") : ("which are", "them")
        line =
            "this run made " + parts.prefix(Self.most).map { "\($0.path)" }.joined(separator: ", ") + rest
            + ", \(made) protected from the next run on: look at \(it) before you use the directory"
    }
}
