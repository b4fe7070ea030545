import AnnexTestSupport
import Foundation
import Glibc
import Testing

/// What the allowances of `annex run` do not give.
@Suite(
    .timeLimit(.minutes(20)),
    .enabled(if: access("/usr/bin/python3", X_OK) == 0, "there is no /usr/bin/python3 here"))
struct AllowanceBoundsTests {
    private let folder: TemporaryFolder
    private static let python = "/usr/bin/python3"

    init() throws {
        folder = try TemporaryFolder()
        chmod(folder.url.path, 0o777)
    }

    private func run(_ options: [String], python script: String) async throws -> Program {
        try await Program.annex(["run"] + options + ["--", Self.python, "-c", script], in: folder)
    }

    private static let tracing = """
        import ctypes, os, signal, sys
        libc = ctypes.CDLL(None, use_errno=True)
        libc.ptrace.argtypes = [ctypes.c_long] * 4
        SEIZE, TRACEEXIT = 0x4206, 0x40
        def seize(process, options):
            return "traced" if libc.ptrace(SEIZE, process, 0, options) == 0 else os.strerror(ctypes.get_errno())

        """

    @Test func `SIG-02: a tracer may keep only its own child from its end, so no circle keeps itself alive`()
        async throws
    {
        let script =
            Self.tracing + """
                me, (reading, writing) = os.getpid(), os.pipe()
                child = os.fork()
                if child == 0:
                    os.write(writing, seize(me, TRACEEXIT).encode())
                    signal.pause()
                print(os.read(reading, 99).decode(), seize(child, TRACEEXIT), seize(1, 0), sep=",")
                os.kill(child, signal.SIGKILL)
                """
        let ran = try await run(["--allow", "debug", "--timeout", "60"], python: script)
        #expect(ran.output == "Operation not permitted,traced,Operation not permitted\n", "\(ran.output)\(ran.errors)")
        #expect(ran.status == 0)
    }

    @Test func `a debugger may switch random addresses off, and nothing else of the personality`() async throws {
        let script = """
            import ctypes
            libc = ctypes.CDLL(None)
            libc.personality.argtypes = [ctypes.c_ulong]
            print([libc.personality(value) for value in (0x40000, 0x400000, 0x440000, 8, 0xffffffff, 0, 0xffffffff)])
            """
        let ran = try await run(["--allow", "debug"], python: script)
        #expect(ran.output == "[0, -1, -1, -1, 262144, 262144, 0]\n", "\(ran.output)\(ran.errors)")
        let without = try await run([], python: script)
        #expect(without.output == "[-1, -1, -1, -1, -1, -1, -1]\n", "\(without.output)\(without.errors)")
    }

    @Test func `without a group that counts memory, objects of System V stay below the limit`() async throws {
        let script = """
            import ctypes, os
            libc = ctypes.CDLL(None, use_errno=True)
            libc.shmget.argtypes = [ctypes.c_int, ctypes.c_size_t, ctypes.c_int]
            made = 0
            while made < 40 and libc.shmget(0, 4 << 20, 0o1600) >= 0: made += 1
            print(made, os.strerror(ctypes.get_errno()), sep=",")
            """
        let ran = try await run(["--allow", "ipc", "--memory", "64M", "--report", "report.json"], python: script)
        let report = try Data(contentsOf: folder.url.appending(path: "report.json"))
        // A group charges memory only when it is used.
        let isCounted = String(decoding: report, as: UTF8.self).contains("\"isMemoryEnforced\" : true")
        #expect(ran.output == (isCounted ? "40,Success\n" : "16,No space left on device\n"), "\(ran.errors)")
    }

    @Test func `copies of files may try sendfile as often as they like`() async throws {
        let script = """
            import shutil
            open("first", "w").write("contents")
            for number in range(50): shutil.copyfile("first", f"copy{number}")
            """
        let ran = try await run(["--write", ".", "--limit", "denials=10"], python: script)
        #expect(ran.status == 0 && ran.errors.isEmpty, "\(ran.errors)")
    }
}
