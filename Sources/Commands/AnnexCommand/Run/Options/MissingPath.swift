import AnnexLaunch
import AnnexLinux
import Glibc

/// A path of the command line at which there is nothing. A sandbox shows only what exists when the program starts.
struct MissingPath {
    /// The option with its path, and what helps.
    let text: String

    /// The first such path.
    init?(_ options: RunOptions) {
        let lists = [
            ("--read", options.read), ("--write", options.write), ("--execute", options.execute),
            ("--write-execute", options.writeExecute), ("--read-all-but", options.readAllBut),
            ("--directory", options.directory.map { [$0] } ?? []),
            ("--private-directory", options.privateDirectory.map { [$0] } ?? []),
        ]
        for (name, paths) in lists {
            guard let path = paths.first(where: Self.isMissing) else { continue }
            text = Self.text(of: name, path)
            return
        }
        return nil
    }

    /// A link that leads to nothing is an error of the launch, which names the target. So is a path that is not UTF-8,
    /// which names the bytes.
    private static func isMissing(_ path: String) -> Bool {
        guard !path.unicodeScalars.contains("\u{FFFD}") else { return false }
        var status = stat()
        // SAFETY: the call fills the structure that it is given and keeps nothing.
        let isThere = unsafe lstat(path, &status) == 0
        return !path.isEmpty && !isThere && [ENOENT, ENOTDIR].contains(errno)
    }

    private static func text(of option: String, _ path: String) -> String {
        let shown = ShellText.shown(path)
        let mayBeFile = ["--read", "--write", "--execute"].contains(option)
        return
            "\(option) \(Escaped(path, limit: 500)): there is nothing at this path, and the program could not make it there: make it first "
            + "(mkdir -p \(shown)" + (mayBeFile ? ", or touch \(shown) if it is a file)" : ")")
    }
}
