import AnnexLinux
import AnnexPolicy
internal import AnnexPolicyTools
import ArgumentParser
import Glibc

/// The options that choose a folder of policies and an architecture.
struct PolicyChoice: ParsableArguments {
    @Option(
        help: "A folder of policies. Each replaces the shipped policy of the same name. Default: ANNEX_POLICIES.",
        completion: .directory)
    var policies: String?

    @Option(
        name: .customLong("arch"),
        help: "The architecture of the system calls: x86_64 or aarch64. Default: this machine's.",
        transform: { text in
            guard let architecture = Architecture(rawValue: text) else {
                throw ValidationError("--arch must be x86_64 or aarch64")
            }
            return architecture
        })
    var architecture: Architecture?

    var target: Architecture { architecture ?? .current }

    private var files: PolicyFiles { PolicyFiles(option: policies) }

    /// The shipped policies. A policy in the folder replaces the shipped policy of the same name.
    func library() throws -> PolicyLibrary { try files.library() }

    /// Reads a policy by its shipped name or its path. A file can include files in its own folder.
    func policy(_ choice: String) throws -> Policy {
        let (name, library) = try named(choice)
        return try library.policy(named: name, for: target)
    }

    /// A policy's name, and the library that contains the policy.
    func named(_ choice: String) throws -> (name: String, library: PolicyLibrary) { try files.named(choice) }

    /// The names of all policies with expectations. The expectations are shipped, or are files in the folder. The list
    /// includes the policies of extension points, and these policies joined with each entitlement that changes them.
    func namesWithExpectations() throws -> [String] {
        let own = try files.folder.map { try FileText.names(in: $0) } ?? []
        return try library().namesToCompile().filter { name in
            Expectations.areShipped(for: name) || own.contains(name + ExpectationsText.ending)
        }
    }

    /// The expectations of a policy. If the choice is a policy file, its expectations come from the expectation file
    /// beside it. Otherwise they come from the folder, or else from the shipped expectations. The expectations about
    /// the fragments at the choice's end, such as `jit` in `mine.yaml+jit`, are joined to the policy's own
    /// expectations.
    func expectations(_ choice: String) throws -> Expectations {
        let (policy, fragments) = PolicyFiles.parted(choice)
        return try ownExpectations(policy).joined(withFragments: fragments, for: target)
    }

    private func ownExpectations(_ choice: String) throws -> Expectations {
        if PolicyFiles.isFile(choice) { return try expectations(at: choice.dropLast(5) + ExpectationsText.ending) }
        if let folder = files.folder, FileText.exists("\(folder)/\(choice)\(ExpectationsText.ending)") {
            return try expectations(at: "\(folder)/\(choice)\(ExpectationsText.ending)")
        }
        guard let shipped = try Expectations.shipped(for: choice, architecture: target) else {
            throw PolicyError("`\(choice)` has no expectations: there is no \(choice)\(ExpectationsText.ending)")
        }
        return shipped
    }

    private func expectations(at path: String) throws -> Expectations {
        guard FileText.exists(path) else {
            throw PolicyError(
                "\(path): there is no such file; it lists the calls that the policy must allow or deny, "
                    + "and Docs/Guide/Policies.md shows one")
        }
        return try Expectations(text: try PolicyFiles.text(of: path), file: path, architecture: target)
    }
}

/// Finds policies by the names and paths of a command line.
struct PolicyFiles {
    /// The user's own folder of policies; nil if the user did not name a folder.
    let folder: String?

    /// - Parameter option: the value of `--policies`. If it is nil, the environment variable `ANNEX_POLICIES` counts.
    init(option: String?) {
        folder = option ?? getenv("ANNEX_POLICIES").flatMap { $0.pointee == 0 ? nil : String(cString: $0) }
    }

    /// The shipped policies. A policy in the folder replaces the shipped policy of the same name.
    func library() throws -> PolicyLibrary { try .standard(overriding: folder) }

    /// A policy's name, and the library that contains the policy. If the choice is a file, the policies in its folder
    /// take precedence over all other policies of the same names.
    func named(_ choice: String) throws -> (name: String, library: PolicyLibrary) {
        guard Self.isFile(choice) else { return (choice, try library()) }
        let (policy, fragments) = Self.parted(choice)
        let (name, library) = try file(policy)
        return (([name] + fragments).joined(separator: "+"), library)
    }

    /// Separates a choice such as `mine.yaml+jit` into the policy and the fragments at its end.
    static func parted(_ choice: String) -> (policy: String, fragments: [String]) {
        let known = Set(PolicyLibrary.shipped.entitlements + PolicyLibrary.shipped.allowances)
        var parts = choice.split(separator: "+", omittingEmptySubsequences: false).map(String.init)
        var fragments: [String] = []
        while parts.count > 1, let last = parts.last, known.contains(last) {
            fragments.insert(last, at: 0)
            parts.removeLast()
        }
        return (parts.joined(separator: "+"), fragments)
    }

    private func file(_ choice: String) throws -> (name: String, library: PolicyLibrary) {
        guard choice.hasSuffix(".yaml") else {
            throw PolicyError("\(Escaped(choice)): the name of a policy's file must end in .yaml")
        }
        let (folder, file) = Self.split(choice)
        let name = String(file.dropLast(5))
        let text = try Self.text(of: choice)
        return (name, try library().adding(neighboursIn: folder).adding([name: (text, choice)]))
    }

    /// Whether a choice is a path and not a name.
    static func isFile(_ choice: String) -> Bool {
        // The name of most policies is no path. Then the fragments need not be known.
        guard choice.contains("/") || choice.contains(".") else { return false }
        let choice = parted(choice).policy
        return choice.contains("/") || choice.hasSuffix(".yaml")
    }

    static func text(of path: String) throws -> String {
        let bytes = try FileText.bytes(of: path, limit: 1 << 20, onlyRegular: true)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw PolicyError("\(Escaped(path)): the file is not UTF-8")
        }
        return text
    }

    private static func split(_ path: String) -> (folder: String, file: String) {
        guard let slash = path.lastIndex(of: "/") else { return (".", path) }
        let folder = String(path[..<slash])
        return (folder.isEmpty ? "/" : folder, String(path[path.index(after: slash)...]))
    }
}
