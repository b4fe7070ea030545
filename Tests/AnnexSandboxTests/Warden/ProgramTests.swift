import AnnexLinux
import AnnexTestSupport
import Foundation
import Testing

@testable import AnnexSandbox

/// Which program becomes the warden: it will hold the keys to every sandbox.
@Suite(.timeLimit(.minutes(20))) struct ProgramTests {
    private func start(_ path: String) throws -> WardenProgram {
        let loop = try EventLoop()
        defer { loop.shutDown() }
        let warden = try Warden.start(on: loop, programs: [.installed(path: path), .carried])
        defer { warden.shutDown() }
        return warden.program
    }

    /// The carried program as a file.
    private func install(in ground: Ground, mode: Int) throws -> String {
        let path = ground.folder.appending(path: "annex-warden").path
        #if arch(x86_64)
            let bytes = try #require(WardenPrograms.file("x86_64"))
        #else
            let bytes = try #require(WardenPrograms.file("aarch64"))
        #endif
        try Data(bytes).write(to: URL(filePath: path))
        chmod(path, mode_t(mode))
        try FileManager.default.settleProgram(at: URL(filePath: path))
        return path
    }

    @Test func rootsInstalledProgramIsPreferred() throws {
        let path = try install(in: Ground(), mode: 0o755)
        #expect(try start(path) == .carried, "its folder is gone with its ground")
        let ground = try Ground()
        let kept = try install(in: ground, mode: 0o755)
        #expect(try start(kept) == (geteuid() == 0 ? .installed(path: kept) : .carried))
    }

    @Test func aProgramThatOthersCanWriteIsPassedOver() throws {
        let ground = try Ground()
        #expect(try start(install(in: ground, mode: 0o775)) == .carried)
        #expect(try start(install(in: ground, mode: 0o757)) == .carried)
    }

    @Test func aProgramThatIsNoWardenIsPassedOver() throws {
        let ground = try Ground()
        #expect(try start(ground.folder.appending(path: "app/program").path) == .carried)
        #expect(try start("/dev/null") == .carried)
        #expect(try start("/nowhere") == .carried)
    }

    @Test func withoutAnyTheErrorSaysSo() throws {
        let loop = try EventLoop()
        defer { loop.shutDown() }
        #expect(throws: SystemError.self) { try Warden.start(on: loop, programs: [.installed(path: "/nowhere")]) }
        #expect(throws: SystemError.self) { try Warden.start(on: loop, programs: []) }
    }

    @Test func bothProcessorsAreCarried() {
        for processor in ["x86_64", "aarch64"] {
            #expect(WardenPrograms.file(processor)?.starts(with: [0x7f, 0x45, 0x4c, 0x46]) == true)
        }
    }
}
