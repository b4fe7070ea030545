import AnnexLinux
import Glibc

/// Relative names among a program's arguments.
///
/// The sandbox has the caller's working directory only if this directory, a file below it, or a directory above it was handed over. If the
/// sandbox does not have it, the program starts in another directory, where these names do not exist. No denial tells of that.
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
        guard !hasDirectory, let here = Self.resolved("."), !isGranted(here) else { return nil }
        let files = arguments.compactMap(Self.file)
        if let (name, _) = files.first(where: { !isGranted($0.path) }) {
            return "\(Escaped(name, limit: 200)) was not handed over: add --read . or --write ., "
                + "which hands over the working directory"
        }
        // Every grant below the working directory makes this directory in the sandbox.
        guard let (name, path) = files.first, !granted.contains(where: { $0.hasPrefix(here + "/") }) else { return nil }
        return
            "\(Escaped(name, limit: 200)) was handed over, but not the working directory, so only the absolute name works: "
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
