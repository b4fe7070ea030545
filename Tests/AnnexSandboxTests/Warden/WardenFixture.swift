import AnnexLinux
import AnnexTestSupport
import Foundation
import Testing

@testable import AnnexLaunch

/// A warden, a loop and a folder for one test.
final class WardenFixture: Sendable {
    let loop: EventLoop
    let warden: Warden
    let folder: URL

    /// The user of the sandbox on the host. If root runs the tests, it is another user. Otherwise it is the user that
    /// runs the tests.
    static let outside: (user: UInt32, group: UInt32) =
        geteuid() == 0 ? (1_610_700_001, 1_610_700_001) : (geteuid(), getegid())

    init() throws {
        loop = try EventLoop()
        warden = try Warden.start(on: loop, programs: [.carried])
        folder = FileManager.default.temporaryDirectory.appending(path: "annex-warden-\(UUID().uuidString)")
        let app = folder.appending(path: "app")
        try FileManager.default.createDirectory(at: app, withIntermediateDirectories: true)
        let program = app.appending(path: "program")
        try FileManager.default.copyProgram(at: Self.fixture, to: program)
    }

    /// A warden that has launched a program. From its second launch on, a warden makes namespaces ahead.
    static func launchedOnce() async throws -> WardenFixture {
        let fixture = try WardenFixture()
        _ = try await fixture.launch(fixture.plan("world")).world()
        return fixture
    }

    deinit {
        warden.shutDown()
        loop.shutDown()
        try? FileManager.default.removeItem(at: folder)
    }

    /// The path of the program `reports-its-world`. The package manager puts the program beside the tests.
    static var fixture: URL {
        URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appending(path: "reports-its-world")
    }

    static let nonce: UInt64 = 0x1122_3344_5566_7788

    func directory(_ name: String) throws -> URL {
        let made = folder.appending(path: name)
        try FileManager.default.createDirectory(at: made, withIntermediateDirectories: true)
        return made
    }

    static func open(_ place: URL) throws -> Descriptor {
        try Descriptor.reference(to: place.path)
    }

    /// A plan that runs the program `reports-its-world`. It has every layer but the two that need rules.
    func plan(_ command: String...) throws -> LaunchPlan {
        let app = folder.appending(path: "app")
        let program = try Self.open(app.appending(path: "program"))
        var plan = try LaunchPlan(
            executable: "/app/program", checked: program, outsideUser: Self.outside.user,
            outsideGroup: Self.outside.group)
        plan.layers = SandboxLayers.all.subtracting([.landlock, .seccomp])
        plan.arguments = ["program", "1"] + command
        plan.environment = ["GREETING=hello world", "SWIFT_ROOT=/"]
        plan.execNonce = Self.nonce
        try plan.bind(Self.open(app), at: "/app")
        plan.give(try Descriptor.open("/dev/null", O_RDWR), as: 0)
        plan.give(try Descriptor.open("/dev/null", O_RDWR), as: 2)
        return plan
    }

    /// Launches a plan. Descriptor 1 of the process is one end of a new pipe.
    func launch(_ plan: consuming LaunchPlan) throws -> Run {
        let pipe = try DescriptorPair.pipe()
        plan.give(try pipe.second.duplicate(), as: 1)
        let output = try pipe.first.duplicate()
        let recording = Recording()
        try warden.launch(plan) { recording.note($0) }
        return Run(recording: recording, output: output)
    }
}
