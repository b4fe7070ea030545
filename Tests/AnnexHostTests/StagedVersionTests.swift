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
}
