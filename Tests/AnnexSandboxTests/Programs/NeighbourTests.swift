import AnnexPolicy
import AnnexTestSupport
import Foundation
import Testing

@testable import AnnexLaunch
@testable import AnnexSandbox

/// All sandboxes of a process share the threads that answer held calls. The calls of one sandbox must not hold up those
/// of another.
@Suite(
    .timeLimit(.minutes(20)),
    .enabled(if: access("/usr/bin/python3", X_OK) == 0, "there is no /usr/bin/python3 here"))
struct NeighbourTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        chmod(folder.url.path, 0o777)
    }

    private func run(_ script: String, policy: String) async throws -> SandboxRunResult {
        var program = SandboxProgram("/usr/bin/python3", arguments: ["-c", script])
        program.write(folder.url.path)
        program.directory = folder.url.path
        let library = PolicyLibrary.shipped.adding(["connecting": (Self.connecting, "connecting.yaml")])
        return try await Sandbox(policy: library.policy(named: policy)).run(program)
    }

    /// The policy `tool`, with connections that the broker makes.
    private static let connecting = """
        policy: connecting
        summary: For a test.
        includes: [tool]
        network: host
        allow:
          - reason: Sockets for TCP.
            calls:
              - { call: socket, when: { domain: AF_INET, type: { only: [SOCK_STREAM, SOCK_CLOEXEC] }, protocol: [0, 6] } }
          - reason: Connections to other machines.
            bounded: connections
            calls: [connect]
        """

    /// A tracer with hundreds of children traces a process that is none of them, again and again. Another thread waits
    /// for a lock that its other file holds.
    private static let neighbour = """
        import ctypes, fcntl, os, signal, threading
        children = []
        for number in range(200):
            child = os.fork()
            if child == 0: signal.pause()
            children.append(child)
        def waits():
            held, other = open("lock", "w"), open("lock", "w")
            fcntl.flock(held, fcntl.LOCK_EX)
            fcntl.flock(other, fcntl.LOCK_EX)
        threading.Thread(target=waits, daemon=True).start()
        libc, traces = ctypes.CDLL(None, use_errno=True), 0
        libc.ptrace.argtypes = [ctypes.c_long] * 4
        open("ready", "w")
        while not os.path.exists("stop"):
            traces += libc.ptrace(0x4206, 99999, 0, 0x40) == -1 and ctypes.get_errno() == 1
        for child in children: os.kill(child, signal.SIGKILL)
        print("traced", traces > 0, flush=True)
        os._exit(0)
        """

    private static let other = """
        import errno, fcntl, os, socket
        def failure(body):
            try: body()
            except OSError as failure: return errno.errorcode[failure.errno]
        answers = set()
        with open("own", "w") as own, open("own") as second:
            for turn in range(100):
                fcntl.lockf(own, fcntl.LOCK_EX, 1, 0)
                fcntl.flock(own, fcntl.LOCK_EX)
                answers.add(failure(lambda: fcntl.flock(second, fcntl.LOCK_EX | fcntl.LOCK_NB)))
                fcntl.flock(own, fcntl.LOCK_UN)
                answers.add(failure(lambda: socket.create_connection(("127.0.0.1", 1))))
                answers.add(failure(lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW)))
        print(*sorted(map(str, answers)))
        """

    @Test func `a tracer with hundreds of children and a held lock hold up no other sandbox`()
        async throws
    {
        let neighbour = Task { try await run(Self.neighbour, policy: "tool+debug") }
        let isThere = { (name: String) in FileManager.default.fileExists(atPath: folder.url.appending(path: name).path)
        }
        await eventually { isThere("ready") }
        // The neighbour's calls go on until this program has got all its answers.
        let result = try await run(Self.other, policy: "connecting")
        let alone = String(decoding: result.output, as: UTF8.self)
        #expect(
            alone.split(separator: " ").count == 3 && alone.contains("EACCES") && alone.contains("EAGAIN"), "\(alone)")
        #expect(result.report.reason == .exited, "\(String(decoding: result.errors, as: UTF8.self))")
        try Data().write(to: folder.url.appending(path: "stop"))
        let last = try await neighbour.value
        #expect(String(decoding: last.output, as: UTF8.self) == "traced True\n", "\(last.report)")
    }
}
