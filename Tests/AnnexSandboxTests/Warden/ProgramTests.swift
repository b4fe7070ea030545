import AnnexLinux
import AnnexTestSupport
import Foundation
import Testing

@testable import AnnexLaunch

/// The choice of the program that becomes the warden. This program will have power over every sandbox.
@Suite(.timeLimit(.minutes(20))) struct ProgramTests {
    private func start(_ path: String) throws -> WardenProgram {
        let loop = try EventLoop()
        defer { loop.shutDown() }
        let warden = try Warden.start(on: loop, programs: [.installed(path: path), .carried])
        defer { warden.shutDown() }
        return warden.program
    }

    /// Writes the embedded warden program to a file.
    private func install(in fixture: WardenFixture, mode: Int) throws -> String {
        let path = fixture.folder.appending(path: "annex-warden").path
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

    @Test func `an installed program of root is preferred`() throws {
        let path = try install(in: WardenFixture(), mode: 0o755)
        #expect(try start(path) == .carried, "its folder is gone with its fixture")
        let fixture = try WardenFixture()
        let kept = try install(in: fixture, mode: 0o755)
        #expect(try start(kept) == (geteuid() == 0 ? .installed(path: kept) : .carried))
    }

    @Test func `a program that other users can write is passed over`() throws {
        let fixture = try WardenFixture()
        #expect(try start(install(in: fixture, mode: 0o775)) == .carried)
        #expect(try start(install(in: fixture, mode: 0o757)) == .carried)
    }

    @Test func `a program that is no warden is passed over`() throws {
        let fixture = try WardenFixture()
        #expect(try start(fixture.folder.appending(path: "app/program").path) == .carried)
        #expect(try start("/dev/null") == .carried)
        #expect(try start("/nowhere") == .carried)
    }

    @Test func `a start without any warden program is an error`() throws {
        let loop = try EventLoop()
        defer { loop.shutDown() }
        #expect(throws: SystemError.self) { try Warden.start(on: loop, programs: [.installed(path: "/nowhere")]) }
        #expect(throws: SystemError.self) { try Warden.start(on: loop, programs: []) }
    }

    @Test func `the warden keeps only the capabilities that launches need`() throws {
        let fixture = try WardenFixture()
        // The needed capabilities are DAC_OVERRIDE, KILL, SETGID, SETUID, SETPCAP, NET_ADMIN, SYS_CHROOT, SYS_PTRACE
        // and SYS_ADMIN.
        let needed: UInt64 = geteuid() == 0 ? 0x2c_11e2 : 0
        let sets = capabilities(of: fixture.warden.number)
        for name in ["CapInh", "CapPrm", "CapEff", "CapAmb"] {
            #expect(sets[name].map { $0 & ~needed } == 0, "\(name)")
        }
        // An ordinary user's program may not drop capabilities that it could get only by executing another program.
        if geteuid() == 0 { #expect(sets["CapBnd"].map { $0 & ~needed } == 0) }
    }

    private func capabilities(of process: Int32) -> [String: UInt64] {
        var sets: [String: UInt64] = [:]
        for line in ProcText.lines(of: "/proc/\(process)/status") where line.hasPrefix("Cap") {
            let parts = line.split(separator: ":")
            sets[String(parts[0])] = UInt64(parts[1].drop { $0 == "\t" }, radix: 16)
        }
        return sets
    }

    @Test func `the code of the warden has random addresses and its tables are read-only`() throws {
        let areas = try (0..<8).map { _ in
            let fixture = try WardenFixture()
            return ProcText.lines(of: "/proc/\(fixture.warden.number)/maps").filter { $0.contains("annex-warden") }
        }
        let addresses = areas.map { $0.first?.prefix { $0 != "-" } }
        #expect(Set(addresses).count > 1, "\(addresses)")
        // These areas are the code, the linker's data and the tables of addresses. They are everything except the
        // variables.
        for one in areas {
            #expect(one.count { $0.contains(" rw-p ") } == 1)
            #expect(one.count { $0.contains(" r--p ") } == 2)
            #expect(one.count { $0.contains(" r-xp ") } == 1)
        }
    }

    @Test func `the wardens for both processors are carried`() {
        for processor in ["x86_64", "aarch64"] {
            let program = WardenPrograms.file(processor) ?? []
            #expect(program.starts(with: [0x7f, 0x45, 0x4c, 0x46]))
            // The type is ET_DYN, so the kernel chooses the address.
            #expect(program.count > 18 && program[16] == 3 && program[17] == 0)
        }
    }
}
