import AnnexHost
import AnnexLinux
import AnnexTestSupport
import Foundation
import Testing

/// A daemon and the service manager that starts it.
@Suite(.timeLimit(.minutes(20))) struct ActivationTests {
    /// A service manager for the test. It listens on a socket. Then it executes the daemon in place of a shell, so that
    /// the process number is known.
    private static let manager = """
        import os, socket, sys
        folder, daemon, fds = sys.argv[1], sys.argv[2], sys.argv[3]
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET if fds != "stream" else socket.SOCK_STREAM)
        listener.bind(folder + "/s")
        listener.listen(1000)
        os.dup2(listener.fileno(), 3)
        os.set_inheritable(3, True)
        os.environ["LISTEN_PID"] = str(os.getpid() if fds != "stranger" else 1)
        os.environ["LISTEN_FDS"] = "1"
        os.environ["NOTIFY_SOCKET"] = folder + "/notify"
        os.execv(daemon, [daemon, "--socket", folder + "/own", "--state", folder + "/state", "--patience", "3000"])
        """

    private func start(_ folder: TemporaryFolder, _ kind: String = "ours") throws -> ChildProcess {
        let errors = folder.url.appending(path: "errors")
        try Data().write(to: errors)
        return try ChildProcess(
            URL(filePath: "/usr/bin/env"),
            arguments: [
                "python3", "-c", Self.manager, folder.url.path, ChildProcess.executable("annexd").path, kind,
            ],
            errors: .file(try FileHandle(forWritingTo: errors)))
    }

    @Test(.enabled(if: Program.isThere(tool: "python3"), "python3 is not installed"))
    func `a daemon serves the socket of its service manager and reports its state`() async throws {
        let folder = try TemporaryFolder()
        let told = try NotifySocket(folder.url.path + "/notify")
        let process = try start(folder)
        #expect(await told.next().contains("READY=1"))
        let host = try AnnexHost.connectAndWait(to: folder.url.path + "/s", patience: .patience)
        #expect(await host.extensions().isEmpty)
        #expect(!FileManager.default.fileExists(atPath: folder.url.path + "/own"))
        process.signal(SIGHUP)
        #expect(await told.next().contains("RELOADING=1"))
        #expect(await told.next().contains("READY=1"))
        _ = try AnnexHost.connectAndWait(to: folder.url.path + "/s", patience: .patience)
        process.signal(SIGTERM)
        #expect(await told.next().contains("STOPPING=1"))
        #expect(await process.ended() == .exited(0))
        // The socket belongs to the manager, which passes it to the next daemon too.
        #expect(FileManager.default.fileExists(atPath: folder.url.path + "/s"))
    }

    /// A queue as long as the manager's would let one user make all others wait.
    @Test(.enabled(if: Program.isThere(tool: "python3"), "python3 is not installed"))
    func `few connections fit into the queue of a socket that the service manager made`() async throws {
        let folder = try TemporaryFolder()
        let told = try NotifySocket(folder.url.path + "/notify")
        let process = try start(folder)
        #expect(await told.next().contains("READY=1"))
        process.signal(SIGSTOP)
        var (room, errno) = (0, Int32(0))
        while errno == 0, room < 300 {
            do throws(SystemError) {
                _ = try LocalSocket.connect(to: folder.url.path + "/s", patience: .milliseconds(1))
                room += 1
            } catch {
                errno = error.errno
            }
        }
        #expect(errno == EAGAIN && (16...100).contains(room), "\(errno) \(room)")
        process.signal(SIGCONT)
        process.signal(SIGTERM)
        #expect(await process.ended() == .exited(0))
    }

    @Test(.enabled(if: Program.isThere(tool: "python3"), "python3 is not installed"))
    func `a socket of another kind or for another process is not taken`() async throws {
        let folder = try TemporaryFolder()
        let stream = try start(folder, "stream")
        let end = await stream.ended()
        let errors = try String(contentsOf: folder.url.appending(path: "errors"), encoding: .utf8)
        #expect(end == .exited(1) && errors.contains("ListenSequentialPacket"), "\(errors)")
        // LISTEN_PID names another process, so descriptor 3 is not for this process.
        let other = try TemporaryFolder()
        let process = try start(other, "stranger")
        // The socket's file exists a moment before the daemon listens.
        let told = other.url.appending(path: "errors")
        await eventually {
            let text = (try? String(contentsOf: told, encoding: .utf8)) ?? ""
            return text.contains("takes connections") || !process.isRunning
        }
        _ = try AnnexHost.connectAndWait(to: other.url.path + "/own", patience: .patience)
        process.signal(SIGTERM)
        await process.ended()
    }
}

/// The socket at which a service manager receives the states of its services.
private final class NotifySocket: Sendable {
    private let number: Int32

    init(_ path: String) throws {
        number = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | 0o2000000, 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { room in
            room.copyBytes(from: path.utf8.prefix(room.count - 1))
        }
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard bound == 0 else { throw SystemError("bind", errno: errno, path: path) }
    }

    deinit {
        close(number)
    }

    /// The next state. The watchdog of the test limits the wait.
    func next() async -> String {
        var room = [UInt8](repeating: 0, count: 4096)
        while true {
            let got = recv(number, &room, room.count, Int32(MSG_DONTWAIT))
            if got > 0 { return String(decoding: room.prefix(got), as: UTF8.self) }
            try? await Task.sleep(for: .milliseconds(5))
        }
    }
}
