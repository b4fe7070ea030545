import AnnexLinux
import AnnexModel
import AnnexTestSupport
import Foundation
import Testing

@testable import AnnexHost

/// The new version of a file that an extension writes.
@Suite(.timeLimit(.minutes(20))) struct StagedVersionTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.url.path + "/original"
        try Data("old".utf8).write(to: URL(filePath: path))
    }

    private func version() throws -> StagedVersion {
        guard case .file(let file) = try ItemContents.onDemand(path: path, isEditable: true).source else {
            throw ItemFailure.notEditable
        }
        return try StagedVersion(of: file)
    }

    private var text: String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "none" }
    private var names: [String] { ProcText.names(in: folder.url.path) }

    @Test func `a withdrawn version is not put in place`() throws {
        let version = try version()
        try version.begin().writeAll(Array("new".utf8))
        version.withdraw()
        #expect(throws: ItemFailure.withdrawn) { try version.commit() }
        #expect(text == "old" && names == ["original"])
    }

    @Test func `a committed version keeps the rights but does not run as its owner`() throws {
        chmod(path, 0o6754)
        let version = try version()
        try version.begin().writeAll(Array("new".utf8))
        try version.commit()
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(text == "new" && mode == 0o754 && names == ["original"])
        try version.begin().writeAll(Array("newer".utf8))
        try version.commit()
        #expect(text == "newer")
    }

    @Test func `a link in the place of the folder leads nowhere else`() throws {
        let version = try version()
        try version.begin().writeAll(Array("new".utf8))
        let outside = try TemporaryFolder()
        let victim = outside.url.path + "/original"
        try Data("victim".utf8).write(to: URL(filePath: victim))
        let moved = folder.url.path + ".moved"
        try FileManager.default.moveItem(atPath: folder.url.path, toPath: moved)
        defer { try? FileManager.default.removeItem(atPath: moved) }
        try FileManager.default.createSymbolicLink(atPath: folder.url.path, withDestinationPath: outside.url.path)
        try version.commit()
        #expect(try String(contentsOfFile: victim, encoding: .utf8) == "victim")
        #expect(try String(contentsOfFile: moved + "/original", encoding: .utf8) == "new")
        try FileManager.default.removeItem(at: folder.url)
    }

    @Test func `an original that changed is kept and the next version begins with it`() throws {
        let version = try version()
        #expect(!version.isStale)
        try Data("changed".utf8).write(to: URL(filePath: path), options: .atomic)
        #expect(version.isStale)
        #expect(throws: ItemFailure.self) { try version.commit() }
        #expect(text == "changed" && names == ["original"])
    }

    /// The entries of an access control list. User 12345 may read, and all entries are within the mask.
    private static let list = """
        import os, struct, sys
        def entry(tag, rights, number=0xFFFFFFFF): return struct.pack("<HHI", tag, rights, number)
        acl = struct.pack("<I", 2) + entry(1, 6) + entry(2, 4, 12345) + entry(4, 0) + entry(16, 4) + entry(32, 0)
        try:
            if len(sys.argv) == 3: os.setxattr(sys.argv[2], "system.posix_acl_" + sys.argv[1], acl)
            print(sum(len(os.getxattr(p, a)) for p in [sys.argv[-1]] for a in os.listxattr(p) if "acl" in a))
        except OSError as error: print(error.errno)
        """

    private func python(_ arguments: String...) async throws -> String {
        let ran = try await Program.run("/usr/bin/python3", ["-c", Self.list] + arguments, in: folder)
        return ran.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private func commitNew() throws {
        let version = try version()
        try version.begin().writeAll(Array("new".utf8))
        try version.commit()
    }

    @Test func `an access control list is kept and none comes from the folder`() async throws {
        guard try await python("access", path) == "44" else {
            return print("annex: the file system of \(path) has no access control lists, so they are not tested")
        }
        try commitNew()
        #expect(try await python(path) == "44")
        let plain = path
        try FileManager.default.removeItem(atPath: plain)
        #expect(try await python("default", folder.url.path) == "44")
        let outside = try TemporaryFolder()
        try Data("old".utf8).write(to: outside.url.appending(path: "original"))
        chmod(outside.url.path + "/original", 0o640)
        try FileManager.default.moveItem(atPath: outside.url.path + "/original", toPath: plain)
        #expect(try await python(plain) == "0", "the original has no list")
        try commitNew()
        #expect(try await python(plain) == "0" && text == "new")
        let mode = try FileManager.default.attributesOfItem(atPath: plain)[.posixPermissions] as? Int
        #expect(mode == 0o640)
    }
}
