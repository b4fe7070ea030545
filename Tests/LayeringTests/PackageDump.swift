import Foundation

/// What `swift package dump-package` says of this package, as far as the plan asks.
struct PackageDump {
    struct Target {
        let name: String
        let type: String
        let path: String?
        let dependencies: Set<String>
        let usesUnsafeFlags: Bool

        var isOfTheLibrary: Bool {
            type != "test" && !(path?.hasPrefix("Sources/Examples") ?? false)
                && !(path?.hasPrefix("Tests/") ?? false)
        }
    }

    let targets: [Target]

    /// Asks the package manager, with a scratch folder of its own: the running test holds the lock of the usual one.
    static func load() throws -> PackageDump {
        let scratch = FileManager.default.temporaryDirectory.appending(path: "annex-dump-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: scratch) }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "swift", "package", "--package-path", SourceTree.root.path, "--scratch-path", scratch.path,
            "--disable-sandbox", "dump-package",
        ]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return try PackageDump(json: data)
    }

    init(json: Data) throws {
        let object = try JSONSerialization.jsonObject(with: data(from: json)) as? [String: Any]
        let list = object?["targets"] as? [[String: Any]] ?? []
        guard !list.isEmpty else { throw CocoaError(.fileReadCorruptFile) }
        targets = list.map(Target.init)
    }
}

/// The package manager may say something before the JSON.
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

    // {"byName": ["AnnexLinux", null]}, {"product": ["ArgumentParser", "swift-argument-parser", null, null]}, {"plugin": ["EmbedProgram", null]}
    private static func dependencyName(_ json: [String: Any]) -> String? {
        (json.values.first as? [Any])?.first as? String
    }
}
