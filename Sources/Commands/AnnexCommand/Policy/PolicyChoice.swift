import AnnexLinux
import AnnexPolicy
import ArgumentParser
import Glibc

/// The options that choose a folder of policies and an architecture.
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

    private var files: PolicyFiles { PolicyFiles(option: policies) }

    /// The shipped policies. A policy of the folder replaces a shipped one of the same name.
    func library() throws -> PolicyLibrary { try files.library() }

    /// Reads a policy by its shipped name or its path. A file can include files beside it.
    func policy(_ choice: String) throws -> Policy {
        let (name, library) = try named(choice)
        return try library.policy(named: name, for: target)
    }

    /// A policy's name, and the library that contains it.
    func named(_ choice: String) throws -> (name: String, library: PolicyLibrary) { try files.named(choice) }

    /// The names of all policies with expectations, shipped or in the folder.
    func namesWithExpectations() throws -> [String] {
        let own = try files.folder.map { try FileText.names(in: $0) } ?? []
        return try library().names.filter { name in
            Expectations.areShipped(for: name) || own.contains(name + ExpectationsText.ending)
        }
    }

    /// The expectations of a policy: from beside its file, from the folder, or shipped.
    func expectations(_ choice: String) throws -> Expectations {
        if PolicyFiles.isFile(choice) { return try expectations(at: choice.dropLast(5) + ExpectationsText.ending) }
        if let folder = files.folder, FileText.exists("\(folder)/\(choice)\(ExpectationsText.ending)") {
            return try expectations(at: "\(folder)/\(choice)\(ExpectationsText.ending)")
        }
        guard let shipped = try Expectations.shipped(for: choice, architecture: target) else {
            throw PolicyError("nothing is expected of `\(choice)`: there is no \(choice)\(ExpectationsText.ending)")
        }
        return shipped
    }

    private func expectations(at path: String) throws -> Expectations {
        try Expectations(text: try PolicyFiles.text(of: path), file: path, architecture: target)
    }
}
