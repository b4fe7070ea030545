import Foundation

/// The package's own files, as they are on disk.
enum SourceTree {
    static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The names of the folders in a folder.
    static func folders(in folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.hasDirectoryPath && !$0.lastPathComponent.hasPrefix(".") }.map(\.lastPathComponent)
    }

    /// Every Swift file below a folder, with its text. Build folders are hidden, so they are omitted.
    static func swiftFiles(in folder: String) throws -> [(file: String, text: String)] {
        try files(in: folder, endings: ["swift"])
    }

    /// Every file below a folder whose name has one of these endings, with its text.
    static func files(in folder: String, endings: Set<String>) throws -> [(file: String, text: String)] {
        let start = root.appending(path: folder)
        let files = FileManager.default.enumerator(
            at: start, includingPropertiesForKeys: nil, options: .skipsHiddenFiles)
        return try (files?.compactMap { $0 as? URL } ?? [])
            .filter { endings.contains($0.pathExtension) }
            .map { ($0.path, try String(contentsOf: $0, encoding: .utf8)) }
    }

    /// Every Swift file of the tests, with its text. The packages beside Annex have their own tests.
    static func testFiles() throws -> [(file: String, text: String)] {
        try ["Tests", "Examples/Tests", "Sources/Macros/annex-macros/Tests", "Sources/Telemetry/annex-telemetry/Tests"]
            .flatMap { try swiftFiles(in: $0) }
    }

    /// The names of all files below a folder, of every kind.
    static func fileNames(in folder: String) -> Set<String> {
        let start = root.appending(path: folder)
        let files = FileManager.default.enumerator(at: start, includingPropertiesForKeys: nil)
        return Set((files?.compactMap { $0 as? URL } ?? []).filter { !$0.hasDirectoryPath }.map(\.lastPathComponent))
    }
}
