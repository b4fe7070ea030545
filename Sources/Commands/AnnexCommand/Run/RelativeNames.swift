import AnnexLaunch
import AnnexLinux
import Glibc

/// Relative names among a program's arguments.
///
/// If neither the caller's working directory nor a directory above it was handed over, the program starts in an empty
/// directory of the same path. These names do not exist there, and no denial tells of that.
struct RelativeNames {
    /// A shell can pass any number of names, and each is looked up.
    private static let most = 64

    private let granted: [String]
    /// What to say after a failure; nil if no argument names a file of the working directory, or the program could use these names.
    private(set) var hint: String?

    /// Looks the names up. Make it before the program runs: the program could put links in their places, which would then be followed.
    init(_ options: RunOptions) {
        granted = (options.read + options.write + options.execute + options.writeExecute).compactMap(Self.resolved)
        guard options.directory == nil else { return }
        hint = hint(for: options.program.dropFirst().prefix(Self.most))
    }

    private func hint(for arguments: ArraySlice<String>) -> String? {
        guard let here = Self.resolved("."), !isGranted(here) else { return nil }
        guard let (name, path) = arguments.compactMap(Self.file).first(where: { !isGranted($0.path) }) else {
            return nil
        }
        let shown = Escaped(name, limit: 200)
        guard path.hasPrefix(here == "/" ? here : here + "/") else {
            let option = Escaped(ShellText.quoted(name), limit: 500)
            return "\(shown) was not handed over: add --read \(option) or --write \(option)"
        }
        return "\(shown) was not handed over: add --read . or --write ., which hands over the working directory"
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
