import Foundation

/// Container profiles that distributions ship. No profile is copied into this repository.
enum FoundProfiles {
    /// The folder into which `.ci/install-needs` unpacks Debian's profiles.
    private static let unpacked = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: ".build/profiles").path

    private static let installed = [
        "/usr/share/gocode/src/github.com/docker/docker/profiles/seccomp/default.json",
        "/usr/share/containers/seccomp.json",
    ]

    /// `ANNEX_PROFILES` names a folder with more profiles.
    static let paths: [String] = {
        let folders = [unpacked, ProcessInfo.processInfo.environment["ANNEX_PROFILES"] ?? ""]
        let found = folders.flatMap { folder in
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            return names.filter { $0.hasSuffix(".json") }.sorted().map { "\(folder)/\($0)" }
        }
        return (installed + found).filter { FileManager.default.isReadableFile(atPath: $0) }
    }()

    static func bytes(_ path: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(filePath: path)))
    }
}
