import AnnexLinux
import Glibc

/// Relative names among a program's arguments.
///
/// The sandbox has the caller's working directory only if this directory, a file below it, or a directory above it was handed over. If the
/// sandbox does not have it, the program starts in another directory, where these names do not exist. No denial tells of that.
struct RelativeNames {
    /// A shell can pass any number of names, and each is looked up.
    private static let most = 64

    private let granted: [String]
    /// What to say after a failure; nil if no argument names a file of the working directory, or the program could use these names.
    private(set) var hint: String?

    /// Looks the names up. Make it before the program runs: the program could put links in their places, which would then be followed.
    init(_ options: RunOptions) {
        granted = (options.read + options.write).compactMap(Self.resolved)
        guard options.directory == nil else { return }
        hint = hint(for: options.program.dropFirst().prefix(Self.most))
    }

    private func hint(for arguments: ArraySlice<String>) -> String? {
        guard let here = Self.resolved("."), !isGranted(here) else { return nil }
        let files = arguments.compactMap(Self.file)
        if let (name, path) = files.first(where: { !isGranted($0.path) }) {
            let shown = Escaped(name, limit: 200)
            guard path.hasPrefix(here == "/" ? here : here + "/") else {
                return
                    "\(shown) was not handed over: hand it over and name it as \(Escaped(path, limit: 500)), with --read or --write"
            }
            return "\(shown) was not handed over: add --read . or --write ., which hands over the working directory"
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
