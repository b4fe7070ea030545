import AnnexLinux
import AnnexTestSupport
import Foundation
import Testing

@testable import AnnexLaunch

/// Binds and scratch folders have the rights and limits of the plan. The warden binds only a source that was checked.
@Suite(.timeLimit(.minutes(20))) struct FilesTests {
    private static let readOnly = 1
    private static let noSetUser = 2
    private static let noDevices = 4
    private static let noExecute = 8

    @Test(.enabled(if: geteuid() == 0, "needs root, whose sandboxes are other users"))
    func `a program in a private folder of its owner fails with the remedy`() async throws {
        let fixture = try WardenFixture()
        let app = fixture.folder.appending(path: "app").path
        try #require(chmod(app, 0o700) == 0)
        let run = try fixture.launch(fixture.plan("world"))
        await run.recording.finish()
        #expect(run.recording.failure?.step == .executable && run.recording.failure?.errno == EACCES)
        #expect(run.recording.failure?.remedy?.contains("chmod -R go+rX") == true)
    }

    @Test func `a bind is read-only unless the plan says otherwise`() async throws {
        let fixture = try WardenFixture()
        let writable = try fixture.directory("writable")
        chmod(writable.path, 0o777)
        var plan = try fixture.plan("world", "/app", "/data/mine")
        try plan.bind(WardenFixture.open(writable), at: "/data/mine", access: [.writable, .noExecute])
        let world = try await fixture.launch(plan).world()
        #expect(world["/app.flags"] == "\(Self.readOnly | Self.noSetUser | Self.noDevices)")
        #expect(world["/app.write"] == "\(EROFS)")
        #expect(world["/data/mine.flags"] == "\(Self.noSetUser | Self.noDevices | Self.noExecute)")
        #expect(world["/data/mine.write"] == "0")
        #expect(FileManager.default.fileExists(atPath: writable.path + "/written"))
        #expect(world["root"] == "app,data")
    }

    @Test func `a file and a device can be bound`() async throws {
        let fixture = try WardenFixture()
        let file = fixture.folder.appending(path: "word")
        try Data("word".utf8).write(to: file)
        var plan = try fixture.plan("world", "/word", "/dev/null", "/dev/zero")
        try plan.bind(WardenFixture.open(file), at: "/word")
        try plan.bind(WardenFixture.open(URL(filePath: "/dev/null")), at: "/dev/null", access: [.device, .writable])
        try plan.bind(WardenFixture.open(URL(filePath: "/dev/zero")), at: "/dev/zero")
        let world = try await fixture.launch(plan).world()
        #expect(world["/word.read"] == "0")
        #expect(world["/dev/null.read"] == "0")
        #expect(world["/dev/zero.read"] == "\(EACCES)", "a device that was not granted as one")
    }

    @Test func `a scratch directory is bounded in bytes and files`() async throws {
        let fixture = try WardenFixture()
        var plan = try fixture.plan("world", "/tmp")
        plan.scratches = [Scratch(at: "/tmp", size: 1 << 20, inodes: 100, mode: 0o700)]
        plan.directory = "/tmp"
        let world = try await fixture.launch(plan).world()
        #expect(world["/tmp.flags"] == "\(Self.noSetUser | Self.noDevices | Self.noExecute)")
        #expect(world["/tmp.size"] == "\(1 << 20)")
        #expect(world["/tmp.inodes"] == "100")
        #expect(world["/tmp.mode"] == "\(0o700)")
        #expect(world["/tmp.write"] == "0")
        #expect(world["directory"] == "/tmp")
    }

    @Test func `no mount point is ever made inside a bind`() async throws {
        let fixture = try WardenFixture()
        let writable = try fixture.directory("writable")
        chmod(writable.path, 0o777)
        var plan = try fixture.plan("world")
        try plan.bind(WardenFixture.open(writable), at: "/data", access: .writable)
        try plan.bind(WardenFixture.open(fixture.folder.appending(path: "app")), at: "/data/inner")
        let run = try fixture.launch(plan)
        await run.recording.finish()
        #expect(run.recording.failure?.step == .binds)
        #expect(run.recording.failure?.errno == ENOENT)
        #expect(try FileManager.default.contentsOfDirectory(atPath: writable.path).isEmpty)
    }

    @Test func `FS-10: a link inside a bind does not redirect a mount`() async throws {
        let fixture = try WardenFixture()
        let hostile = try fixture.directory("hostile")
        try FileManager.default.createSymbolicLink(
            atPath: hostile.path + "/place", withDestinationPath: "/app")
        var plan = try fixture.plan("world")
        try plan.bind(WardenFixture.open(hostile), at: "/data")
        try plan.bind(WardenFixture.open(fixture.folder), at: "/data/place")
        let run = try fixture.launch(plan)
        await run.recording.finish()
        #expect(run.recording.failure?.step == .binds)
        #expect(run.recording.failure?.errno == ELOOP)
    }

    /// A warden of root clones the tree from the checked descriptor. For a warden of an ordinary user, the path must
    /// still lead to the checked object.
    @Test func `FS-10: a source that was replaced is never bound`() async throws {
        let fixture = try WardenFixture()
        let source = try fixture.directory("source")
        try Data("checked".utf8).write(to: source.appending(path: "checked"))
        let secret = try fixture.directory("secret")
        var plan = try fixture.plan("world", "/data/checked")
        try plan.bind(WardenFixture.open(source), at: "/data")
        try FileManager.default.moveItem(at: source, to: fixture.folder.appending(path: "moved"))
        try FileManager.default.createSymbolicLink(at: source, withDestinationURL: secret)
        let run = try fixture.launch(plan)
        let world = try await run.world()
        if geteuid() == 0 {
            #expect(world["/data/checked.read"] == "0")
        } else {
            #expect(run.recording.failure?.step == .binds)
            #expect(run.recording.failure?.errno == ELOOP)
            #expect(run.recording.failure?.subject == source.path)
        }
    }

    /// A part that another program replaced after the broker looked at it, by another file, a link or nothing.
    @Test(arguments: [ESTALE, ELOOP, ENOENT])
    func `FS-43: a part that was replaced is never hidden in silence`(errno: Int32) async throws {
        let fixture = try WardenFixture()
        let folder = try fixture.directory("folder")
        let file = folder.appending(path: "key")
        try Data("checked".utf8).write(to: file)
        let status = try WardenFixture.open(file).status()
        var plan = try fixture.plan("world")
        try plan.bind(WardenFixture.open(folder), at: "/data")
        plan.parts = [
            LaunchPlan.Part(.hidden, at: "/data/key", device: status.device, inode: status.inode)
        ]
        try FileManager.default.moveItem(at: file, to: folder.appending(path: "moved"))
        if errno == ESTALE { try Data("other".utf8).write(to: file) }
        if errno == ELOOP { try FileManager.default.createSymbolicLink(at: file, withDestinationURL: folder) }
        let run = try fixture.launch(plan)
        let world = try await run.world()
        #expect(world.isEmpty, "its own code ran")
        #expect(run.recording.failure?.step == .parts && run.recording.failure?.subject == "/data/key")
        #expect(run.recording.failure?.errno == errno)
    }

    @Test func `FS-10: a source path that leads to another directory is refused`() async throws {
        let fixture = try WardenFixture()
        let source = try fixture.directory("source")
        var plan = try fixture.plan("world", "/data")
        try plan.bind(WardenFixture.open(source), at: "/data")
        try FileManager.default.moveItem(at: source, to: fixture.folder.appending(path: "moved"))
        _ = try fixture.directory("source")
        let run = try fixture.launch(plan)
        await run.recording.finish()
        if geteuid() == 0 {
            #expect(run.recording.failure == nil)
        } else {
            #expect(run.recording.failure?.step == .binds)
            #expect(run.recording.failure?.errno == ESTALE)
        }
    }

    @Test func `START-07: an executable that was swapped is refused`() async throws {
        let fixture = try WardenFixture()
        let plan = try fixture.plan("world")
        let program = fixture.folder.appending(path: "app/program")
        try FileManager.default.moveItem(at: program, to: fixture.folder.appending(path: "app/old"))
        try FileManager.default.copyProgram(at: WardenFixture.fixture, to: program)
        let run = try fixture.launch(plan)
        await run.recording.finish()
        #expect(run.recording.order == [.started, .failed, .ended])
        #expect(run.recording.failure?.step == .executable)
        #expect(run.recording.failure?.errno == ESTALE)
    }

    @Test func `START-07: an executable behind a link is refused`() async throws {
        let fixture = try WardenFixture()
        let plan = try fixture.plan("world")
        let app = fixture.folder.appending(path: "app")
        try FileManager.default.moveItem(
            at: app.appending(path: "program"), to: app.appending(path: "old"))
        try FileManager.default.createSymbolicLink(
            atPath: app.path + "/program", withDestinationPath: "old")
        let run = try fixture.launch(plan)
        await run.recording.finish()
        #expect(run.recording.failure?.step == .executable)
        #expect(run.recording.failure?.errno == ELOOP)
    }
}
