import AnnexTestSupport
import Foundation

/// The parts of the output of `swift package dump-package` that the plan needs.
struct PackageDump: Sendable {
    struct Target: Sendable {
        let name: String
        let type: String
        let path: String?
        let dependencies: Set<String>
        let usesUnsafeFlags: Bool

        var isOfTheLibrary: Bool {
            type != "test" && !(path?.hasPrefix("Tests/") ?? false)
        }
    }

    let targets: [Target]

    /// All tests together ask the package manager only once. The wait blocks no thread of the pool.
    private static let one = Task { try await ask() }

    static func load() async throws -> PackageDump { try await one.value }

    /// Asks the package manager. It uses a separate scratch folder, because the running test holds the lock of the usual folder.
    private static func ask() async throws -> PackageDump {
        let scratch = try TemporaryFolder()
        let said = try await Program.tool([
            "swift", "package", "--package-path", SourceTree.root.path, "--scratch-path", scratch.url.path,
            "--disable-sandbox", "dump-package",
        ])
        return try PackageDump(json: Data(said.output.utf8))
    }

    init(json: Data) throws {
        let object = try JSONSerialization.jsonObject(with: data(from: json)) as? [String: Any]
        let list = object?["targets"] as? [[String: Any]] ?? []
        guard !list.isEmpty else { throw CocoaError(.fileReadCorruptFile) }
        targets = list.map(Target.init)
    }
}

/// The JSON in the output. The package manager may print other text before it.
private func data(from output: Data) -> Data {
    output.firstIndex(of: UInt8(ascii: "{")).map { output[$0...] } ?? output
}

extension PackageDump.Target {
    init(json: [String: Any]) {
        name = json["name"] as? String ?? ""
        type = json["type"] as? String ?? ""
        path = json["path"] as? String
        let listed = json["dependencies"] as? [[String: Any]] ?? []
        let plugins = json["pluginUsages"] as? [[String: Any]] ?? []
        dependencies = Set((listed + plugins).compactMap(Self.dependencyName))
        let settings = json["settings"] as? [[String: Any]] ?? []
        usesUnsafeFlags = settings.contains { ($0["kind"] as? [String: Any])?["unsafeFlags"] != nil }
    }

    // {"byName": ["AnnexLinux", null]}, {"product": ["ArgumentParser", "swift-argument-parser", null, null]},
    // {"plugin": ["EmbedProgram", null]}
    private static func dependencyName(_ json: [String: Any]) -> String? {
        (json.values.first as? [Any])?.first as? String
    }
}
