import AnnexLinux
import AnnexPolicy
import Glibc

/// Policies by the names and paths that a command is given.
struct PolicyFiles {
    /// The folder of one's own, where one was named.
    let folder: String?

    /// - Parameter option: what `--policies` says; else the environment's word counts.
    init(option: String?) {
        folder = option ?? getenv("ANNEX_POLICIES").flatMap { $0.pointee == 0 ? nil : String(cString: $0) }
    }

    /// Shipped policies, those of the folder in front of them.
    func library() throws -> PolicyLibrary { try .standard(overriding: folder) }

    /// A policy's name and the library that has it; what lies beside a file comes first.
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

    /// Whether a choice is a path and no name.
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
