import AnnexLinux
import AnnexPolicy
import Glibc

/// Finds policies by the names and paths that a command is given.
struct PolicyFiles {
    /// The user's own folder of policies; nil if none was named.
    let folder: String?

    /// - Parameter option: the value of `--policies`. If it is nil, `ANNEX_POLICIES` of the environment counts.
    init(option: String?) {
        folder = option ?? getenv("ANNEX_POLICIES").flatMap { $0.pointee == 0 ? nil : String(cString: $0) }
    }

    /// The shipped policies. A policy of the folder replaces a shipped one of the same name.
    func library() throws -> PolicyLibrary { try .standard(overriding: folder) }

    /// A policy's name, and the library that contains it. Files beside a policy's file come first.
    func named(_ choice: String) throws -> (name: String, library: PolicyLibrary) {
        guard Self.isFile(choice) else { return (choice, try library()) }
        guard choice.hasSuffix(".yaml") else {
            throw PolicyError("\(Escaped(choice)): a policy's file ends in .yaml, so that its name is known")
        }
        let (folder, file) = Self.split(choice)
        let name = String(file.dropLast(5))
        let text = try Self.text(of: choice)
        return (name, try library().adding(neighboursIn: folder).adding([name: (text, choice)]))
    }

    /// Whether a choice is a path and not a name.
    static func isFile(_ choice: String) -> Bool { choice.contains("/") || choice.hasSuffix(".yaml") }

    static func text(of path: String) throws -> String {
        let bytes = try FileText.bytes(of: path, limit: 1 << 20, onlyRegular: true)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw PolicyError("\(Escaped(path)): not UTF-8")
        }
        return text
    }

    private static func split(_ path: String) -> (folder: String, file: String) {
        guard let slash = path.lastIndex(of: "/") else { return (".", path) }
        let folder = String(path[..<slash])
        return (folder.isEmpty ? "/" : folder, String(path[path.index(after: slash)...]))
    }
}
