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
    func library() throws -> PolicyLibrary {
        PolicyLibrary(texts: try texts(overridden: folder))
    }

    /// A shipped name, or a file with its neighbours to include.
    func policy(_ choice: String) throws -> Policy {
        guard Self.isFile(choice) else { return try library().policy(named: choice, for: target) }
        let (name, library) = try library(around: choice)
        return try library.policy(named: name, for: target)
    }

    /// A file's policy name, and a library in which what lies beside the file comes first.
    func library(around path: String) throws -> (name: String, library: PolicyLibrary) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let file = String(parts.last ?? "")
        guard file.hasSuffix(".yaml") else {
            throw PolicyError("\(Escaped(path)): a policy's file ends in .yaml, so that its name is known")
        }
        let name = String(file.dropLast(".yaml".count))
        let beside = parts.dropLast().isEmpty ? "." : parts.dropLast().joined(separator: "/")
        var texts = try texts(overridden: folder)
        texts.merge(try Self.texts(in: beside.isEmpty ? "/" : beside)) { $1 }
        texts[name] = try Self.text(of: path)
        return (name, PolicyLibrary(texts: texts))
    }

    static func isFile(_ choice: String) -> Bool { choice.contains("/") || choice.hasSuffix(".yaml") }

    private func texts(overridden folder: String?) throws -> [String: String] {
        let shipped = PolicyLibrary.shipped.allTexts
        guard let folder else { return shipped }
        return shipped.merging(try Self.texts(in: folder)) { $1 }
    }

    private static func texts(in folder: String) throws -> [String: String] {
        var texts: [String: String] = [:]
        for name in try FileText.names(in: folder)
        where name.hasSuffix(".yaml") && !name.hasSuffix(".expectations.yaml") {
            texts[String(name.dropLast(".yaml".count))] = try text(of: "\(folder)/\(name)")
        }
        return texts
    }

    private static func text(of path: String) throws -> String {
        let bytes = try FileText.bytes(of: path, limit: 1 << 20)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw PolicyError("\(Escaped(path)): not UTF-8")
        }
        return text
    }
}
