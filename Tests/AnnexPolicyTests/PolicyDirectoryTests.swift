import Foundation
import Testing

@testable import AnnexPolicy

/// A directory of the user's own policies, and directories with hostile contents.
@Suite(.timeLimit(.minutes(20))) struct PolicyDirectoryTests {
    static let compute = "policy: compute\nsummary: Narrower.\nincludes: [base]\nlimits: { memory: 1M }\n"

    /// The error for a directory that `fill` made. In this directory, `compute.yaml` is a policy.
    static func error(_ fill: (URL) throws -> Void) throws -> String {
        let folder = try Self.folder(fill)
        defer { try? FileManager.default.removeItem(at: folder) }
        let error = #expect(throws: PolicyError.self) { try PolicyLibrary.standard(overriding: folder.path) }
        return "\(try #require(error))".replacing(folder.path, with: "DIR")
    }

    static func folder(_ fill: (URL) throws -> Void) throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appending(path: "annex-policies-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try compute.write(to: folder.appending(path: "compute.yaml"), atomically: false, encoding: .utf8)
        try fill(folder)
        return folder
    }

    @Test func `a directory replaces the shipped policies for includes too`() throws {
        let folder = try Self.folder { folder in
            try "no policy".write(to: folder.appending(path: "notes.txt"), atomically: false, encoding: .utf8)
            try "no policy".write(to: folder.appending(path: ".x.yaml"), atomically: false, encoding: .utf8)
        }
        defer { try? FileManager.default.removeItem(at: folder) }
        let library = try PolicyLibrary.standard(overriding: folder.path)
        #expect(library.names == PolicyLibrary.shipped.names)
        #expect(library.text(named: "compute") == Self.compute)
        #expect(try library.policy(named: "compute").limits.memory == 1 << 20)
        #expect(!(try library.policy(named: "com.apple.ui-services").allowedCalls.contains("memfd_create")))
        #expect(
            try PolicyLibrary.standard(overriding: nil).policy(named: "compute") == Policy.shipped(named: "compute"))
    }

    @Test func `errors name the file as it is on disk`() throws {
        let folder = try Self.folder { folder in
            try "policy: other\nsummary: a\n".write(
                to: folder.appending(path: "x.yaml"), atomically: false, encoding: .utf8)
        }
        defer { try? FileManager.default.removeItem(at: folder) }
        let library = try PolicyLibrary.standard(overriding: folder.path)
        let error = #expect(throws: PolicyError.self) { try library.policy(named: "x") }
        #expect("\(try #require(error))".hasPrefix("\(folder.path)/x.yaml:1:9: the policy is named other"))
    }

    @Test func `FS-26: pipes, links and directories in place of a policy are refused at once`() throws {
        #expect(
            try Self.error { mkfifo($0.appending(path: "x.yaml").path, 0o600) } == "DIR/x.yaml: is not a regular file")
        #expect(
            try Self.error {
                try FileManager.default.createDirectory(
                    at: $0.appending(path: "x.yaml"), withIntermediateDirectories: false)
            } == "DIR/x.yaml: is not a regular file")
        #expect(
            try Self.error { symlink("compute.yaml", $0.appending(path: "x.yaml").path) }
                == "DIR/x.yaml: is a link; replace it with a regular file")
        #expect(
            try Self.error { symlink("/etc/passwd", $0.appending(path: "x.yaml").path) }
                == "DIR/x.yaml: is a link; replace it with a regular file")
    }

    @Test func `files that are no text or too long are refused`() throws {
        #expect(
            try Self.error { try Data([0x70, 0xFF, 0xFE]).write(to: $0.appending(path: "x.yaml")) }
                == "DIR/x.yaml: is not UTF-8")
        #expect(
            try Self.error { folder in
                try Data().write(to: folder.appending(path: "x.yaml"))
                truncate(folder.appending(path: "x.yaml").path, 1 << 40)
            } == "DIR/x.yaml: is longer than 262144 bytes")
    }

    @Test func `a policy that other users could write is refused`() throws {
        #expect(
            try Self.error { chmod($0.appending(path: "compute.yaml").path, 0o666) }
                == "DIR/compute.yaml: every user can change it; remove that right (chmod o-w)")
        #expect(
            try Self.error { chmod($0.path, 0o777) }
                == "DIR: every user can change it; remove that right (chmod o-w)")
        guard geteuid() == 0 else {
            print("skipped the part about foreign files: only root gives files away")
            return
        }
        #expect(
            try Self.error { chown($0.appending(path: "compute.yaml").path, 65534, 65534) }
                == "DIR/compute.yaml: belongs to another user; it must belong to root or to you")
    }

    @Test func `the error for a missing directory names it`() {
        let error = #expect(throws: PolicyError.self) {
            try PolicyLibrary.standard(overriding: "/nonexistent/policies")
        }
        #expect(error?.description.hasPrefix("/nonexistent/policies: there is no such folder") == true)
    }
}
