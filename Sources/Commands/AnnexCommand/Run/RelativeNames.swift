import AnnexLinux
import Glibc

/// Relative names among a program's arguments. They lead to the caller's files only if the program starts in the caller's working directory,
/// and the program does so only if this directory was handed over. No denial tells of it: in the directory where the program starts instead,
/// the names do not exist.
struct RelativeNames {
    private let arguments: ArraySlice<String>
    private let granted: [String]
    private let hasDirectory: Bool

    init(_ options: RunOptions) {
        arguments = options.program.dropFirst()
        granted = (options.read + options.write).compactMap(Self.resolved)
        hasDirectory = options.directory != nil
    }

    /// What to say after a failure; nil if no argument names a file of the working directory, or the program could use these names.
    var hint: String? {
        guard !hasDirectory, let here = Self.resolved("."), !isGranted(here),
            let (name, path) = arguments.lazy.compactMap(Self.file).first
        else { return nil }
        let shown = Escaped(name, limit: 200)
        guard isGranted(path) else {
            return "\(shown) was not handed over: add --read . or --write ., which hands over the working directory"
        }
        return "\(shown) was handed over, but the working directory was not, so only the absolute name works there: "
            + "\(Escaped(path, limit: 500)); or add --read ."
    }

    /// A file that an argument names from the working directory, with its absolute path.
    private static func file(_ argument: String) -> (name: String, path: String)? {
        guard !argument.isEmpty, !argument.hasPrefix("/"), !argument.hasPrefix("-") else { return nil }
        return resolved(argument).map { (argument, $0) }
    }

    private func isGranted(_ path: String) -> Bool {
        granted.contains { path == $0 || path.hasPrefix($0 == "/" ? $0 : $0 + "/") }
    }

    /// The absolute path without links; nil if there is no such file.
    private static func resolved(_ path: String) -> String? {
        guard let text = realpath(path, nil) else { return nil }
        defer { free(text) }
        return String(cString: text)
    }
}
