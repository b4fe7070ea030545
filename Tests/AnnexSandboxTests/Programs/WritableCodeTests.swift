import AnnexPolicy
import AnnexTestSupport
import Foundation
import Testing

@testable import AnnexLaunch
@testable import AnnexSandbox

/// In `execve`, the kernel creates the memory that an ELF header requests. No filter sees this.
@Suite(.timeLimit(.minutes(20))) struct WritableCodeTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        chmod(folder.url.path, 0o755)
    }

    /// Program headers by their kinds.
    private enum Kind: UInt32 {
        case load = 1
        case interpreter = 3
        case stack = 0x6474_E551
    }

    /// A copy of a program with all flags (read, write, execute) in its last header of a kind.
    private func copy(of program: String, _ kind: Kind?, class size: UInt8 = 2, to path: String? = nil) throws -> String
    {
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: program)))
        bytes[4] = size
        if let kind { bytes[try #require(place(of: kind, in: bytes)) + 4] = 7 }
        return try write(bytes, to: path ?? folder.url.appending(path: "program").path)
    }

    private func write(_ bytes: [UInt8], to path: String) throws -> String {
        try Data(bytes).write(to: URL(filePath: path))
        try FileManager.default.settle(URL(filePath: path), mode: 0o755)
        return path
    }

    /// The offset at which the last program header of a kind begins.
    private func place(of kind: Kind, in bytes: [UInt8]) -> Int? {
        func number(_ place: Int, _ size: Int) -> Int {
            (0..<size).reduce(0) { $0 | Int(bytes[place + $1]) << ($1 * 8) }
        }
        let first = number(32, 8)
        return (0..<number(56, 2)).map { first + $0 * 56 }.last { number($0, 4) == Int(kind.rawValue) }
    }

    private func sandbox(_ switched: String, granting path: String? = nil) throws -> Sandbox {
        let grants = path.map { "paths: { grants: [{ reason: A test, rights: [read, execute], paths: ['\($0)'] }] }" }
        let text = """
            policy: switched
            summary: A test.
            includes: [tool]
            write-xor-execute: \(switched)
            \(grants ?? "")

            """
        try Data(text.utf8).write(to: folder.url.appending(path: "switched.yaml"))
        return Sandbox(policy: try PolicyLibrary.standard(overriding: folder.url.path).policy(named: "switched"))
    }

    @Test(arguments: [UInt32(1), 0x6474_E551])
    func `PROC-12: a program whose header asks for writable code is not launched`(
        kind: UInt32
    ) async throws {
        let program = SandboxProgram(try copy(of: "/bin/true", Kind(rawValue: kind)))
        let error = try await #require(throws: SandboxError.self) { try await sandbox("on").run(program) }
        #expect(error.step == "executable" && error.cause.contains("its header asks for"), "\(error)")
        #expect(try await sandbox("off").run(program).report.exitCode == 0)
    }

    @Test func `PROC-12: a program of 32 bits is not launched`() async throws {
        let program = SandboxProgram(try copy(of: "/bin/true", nil, class: 1))
        let error = try await #require(throws: SandboxError.self) { try await sandbox("on").run(program) }
        #expect(error.cause.contains("not a 64-bit program"), "\(error)")
    }

    @Test func `PROC-12: a dynamic linker whose header asks for writable code is not loaded`() async throws {
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: "/bin/true")))
        let headers = try #require(ProgramHeaders { Array(bytes[Int($0)..<min(Int($0) + $1, bytes.count)]) })
        let linker = try #require(headers.interpreter)
        #expect(headers.fault == nil)
        // The new path must not be longer than the path that it replaces.
        let path = "/tmp/annex-\(getpid() % 100_000)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        _ = try copy(of: String(decoding: linker, as: UTF8.self), .load, to: path)
        let start = try #require(bytes.firstRange(of: linker)?.lowerBound)
        for (index, byte) in (Array(path.utf8) + [0]).enumerated() { bytes[start + index] = byte }
        let program = SandboxProgram(try write(bytes, to: folder.url.appending(path: "program").path))
        let error = try await #require(throws: SandboxError.self) {
            try await sandbox("on", granting: path).run(program)
        }
        #expect(error.cause.hasPrefix(path) && error.cause.contains("its header asks for"), "\(error)")
        #expect(try await sandbox("off", granting: path).run(program).report.exitCode == 0)
    }

    @Test func `PROC-12: a program that cannot be read is not launched`() async throws {
        guard getuid() != 0 else { return }
        let path = try copy(of: "/bin/true", nil)
        try #require(chmod(path, 0o111) == 0)
        await #expect(throws: SandboxError.self) { try await sandbox("on").run(SandboxProgram(path)) }
    }

    /// Headers with false numbers.
    @Test func `PROC-12: a file that is no program is left to the kernel`() {
        #expect(ProgramHeaders { _, _ in [] } == nil)
        let head: [UInt8] = [0x7F, 0x45, 0x4C, 0x46, 2, 1] + [UInt8](repeating: 0xFF, count: 58)
        for size in 4...64 {
            let headers = ProgramHeaders { offset, count in offset == 0 ? Array(head.prefix(min(size, count))) : [] }
            #expect(headers == nil || size < 6)
        }
    }
}
