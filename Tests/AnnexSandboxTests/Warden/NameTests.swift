import AnnexLinux
import AnnexTestSupport
import Foundation
import Testing

@testable import AnnexLaunch

/// The name by which the caller started a program. Another program may have changed where the name leads.
@Suite(.timeLimit(.minutes(20))) struct NameTests {
    /// A plan whose program is `program world`, and whose argument at index 3 stands for a script's name.
    private func plan(_ fixture: WardenFixture, named name: String, byName: Bool) throws -> LaunchPlan {
        var plan = try fixture.plan("world", "/replaced")
        let host = try HostPath.resolve(fixture.folder.appending(path: "app/program").path)
        var given = ProgramName(name, at: name, in: nil, leadingTo: host)
        given?.argument = byName ? 0 : 3
        // A place that an ordinary user can change is never followed by the kernel.
        if !byName { given?.pass(host) }
        plan.name = given?.seen(from: "/")
        return plan
    }

    /// The name, which must be one.
    private func given(_ name: ProgramName?) throws -> ProgramName { try #require(name) }

    @Test func `a name that leads to the checked object takes the place of its argument`() async throws {
        let fixture = try WardenFixture()
        try FileManager.default.createSymbolicLink(
            atPath: fixture.folder.path + "/app/link", withDestinationPath: "program")
        let world = try await fixture.launch(plan(fixture, named: "/app/link", byName: false)).world()
        #expect(world["said"] == "world" && world["argument3"] == "/app/link", "\(world)")
    }

    @Test(arguments: ["/app/other", "/app/missing", "/app", "/dev/fd/0"])
    func `a name that leads elsewhere is not used`(name: String) async throws {
        let fixture = try WardenFixture()
        try FileManager.default.createSymbolicLink(
            atPath: fixture.folder.path + "/app/other", withDestinationPath: "decoy")
        try FileManager.default.copyProgram(
            at: WardenFixture.fixture, to: fixture.folder.appending(path: "app/decoy"))
        for byName in [false, true] {
            let world = try await fixture.launch(plan(fixture, named: name, byName: byName)).world()
            #expect(world["said"] == "world" && world["argument3"] == "/replaced", "\(name): \(world)")
            #expect(world["executed"]?.hasPrefix("/dev/fd/") == true, "\(name): \(world)")
        }
    }

    @Test func `the kernel follows a name that only root can change`() async throws {
        let fixture = try WardenFixture()
        let world = try await fixture.launch(plan(fixture, named: "/app/program", byName: true)).world()
        #expect(world["said"] == "world" && world["executed"] == "/app/program", "\(world)")
    }

    @Test func `only a way through directories of root is followed by the kernel`() throws {
        func isExecuted(_ path: String) throws -> Bool {
            let host = try HostPath.resolve(path)
            var name = try given(ProgramName(path, at: path, in: nil, leadingTo: host))
            name.pass(host)
            return name.seen(from: "/").isExecuted
        }
        #expect(try isExecuted("/usr/bin/env") && isExecuted("/bin/sh"))
        let folder = try TemporaryFolder()
        let (link, copy) = (folder.url.path + "/link", folder.url.path + "/copy")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "/usr/bin/env")
        try FileManager.default.copyProgram(at: URL(filePath: "/usr/bin/env"), to: URL(filePath: copy))
        #expect(try !isExecuted(link) && !isExecuted(copy))
    }

    @Test func `a name is relative only in the directory from which it was given`() throws {
        let host = try HostPath.resolve("/usr/bin/env")
        let name = try given(ProgramName("./env", at: "/usr/bin/./env", in: "/usr/bin", leadingTo: host))
        #expect(name.seen(from: "/usr/bin").path == "./env")
        #expect(name.seen(from: "/usr").path == "/usr/bin/./env")
        let hyphen = try given(ProgramName("-x/env", at: "/usr/bin/-x/env", in: "/usr/bin", leadingTo: host))
        #expect(hyphen.seen(from: "/usr/bin").path == "/usr/bin/-x/env")
        let long = "/" + String(repeating: "./", count: 2100) + "env"
        let isNone = ProgramName(long, at: long, in: nil, leadingTo: host) == nil
        #expect(isNone)
    }
}
