import AnnexLinux
import AnnexPolicy
import ArgumentParser
import Glibc

/// Where policies are looked for, and whose calls they are about.
struct PolicyChoice: ParsableArguments {
    @Option(
        help: "A folder whose policies take the place of shipped ones of the same name (also: ANNEX_POLICIES).",
        completion: .directory)
    var policies: String?

    @Option(
        name: .customLong("arch"), help: "Whose system calls: x86_64 or aarch64; this machine's otherwise.",
        transform: { text in
            guard let architecture = Architecture(rawValue: text) else {
                throw ValidationError("--arch is x86_64 or aarch64")
            }
            return architecture
        })
    var architecture: Architecture?

    var target: Architecture { architecture ?? .current }

    /// The folder of one's own, where one was named.
    private var folder: String? {
        policies ?? getenv("ANNEX_POLICIES").flatMap { $0.pointee == 0 ? nil : String(cString: $0) }
    }

    /// Shipped policies, those of the folder in front of them.
    func library() throws -> PolicyLibrary { try .standard(overriding: folder) }

    /// A shipped name, or a file with its neighbours to include.
    func policy(_ choice: String) throws -> Policy {
        let (name, library) = try named(choice)
        return try library.policy(named: name, for: target)
    }

    /// A policy's name and the library that has it; what lies beside a file comes first.
    func named(_ choice: String) throws -> (name: String, library: PolicyLibrary) {
        guard Self.isFile(choice) else { return (choice, try library()) }
        guard choice.hasSuffix(".yaml") else {
            throw PolicyError("\(Escaped(choice)): a policy's file ends in .yaml, so that its name is known")
        }
        let (folder, file) = Self.split(choice)
        var texts: [String: (text: String, file: String)] = [:]
        for name in (try? FileText.names(in: folder)) ?? [] where name.hasSuffix(".yaml") {
            let path = folder == "." ? name : "\(folder)/\(name)"
            // A neighbour that cannot be read is missed only by who includes it.
            if let text = try? Self.text(of: path) { texts[String(name.dropLast(5))] = (text, path) }
        }
        let name = String(file.dropLast(5))
        texts[name] = (try Self.text(of: choice), choice)
        return (name, try library().adding(texts))
    }

    /// Names of all policies that have expectations, shipped or in the folder.
    func namesWithExpectations() throws -> [String] {
        let own = try folder.map { try FileText.names(in: $0) } ?? []
        return try library().names.filter { name in
            Expectations.areShipped(for: name) || own.contains(name + ExpectationsText.ending)
        }
    }

    /// What is expected of a policy: beside its file, in the folder, or shipped.
    func expectations(_ choice: String) throws -> Expectations {
        if Self.isFile(choice) { return try expectations(at: choice.dropLast(5) + ExpectationsText.ending) }
        if let folder, FileText.exists("\(folder)/\(choice)\(ExpectationsText.ending)") {
            return try expectations(at: "\(folder)/\(choice)\(ExpectationsText.ending)")
        }
        guard let shipped = try Expectations.shipped(for: choice, architecture: target) else {
            throw PolicyError("nothing is expected of `\(choice)`: there is no \(choice)\(ExpectationsText.ending)")
        }
        return shipped
    }

    private func expectations(at path: String) throws -> Expectations {
        try Expectations(text: try Self.text(of: path), file: path, architecture: target)
    }

    /// A path's folder and its last part.
    static func split(_ path: String) -> (folder: String, file: String) {
        guard let slash = path.lastIndex(of: "/") else { return (".", path) }
        let folder = String(path[..<slash])
        return (folder.isEmpty ? "/" : folder, String(path[path.index(after: slash)...]))
    }

    static func isFile(_ choice: String) -> Bool { choice.contains("/") || choice.hasSuffix(".yaml") }

    private static func text(of path: String) throws -> String {
        let bytes = try FileText.bytes(of: path, limit: 1 << 20)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw PolicyError("\(Escaped(path)): not UTF-8")
        }
        return text
    }
}
