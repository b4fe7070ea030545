import AnnexTestSupport
import Foundation
import Glibc
import Testing

/// Sockets of the caller that an allowance hands over: of the ssh agent and of displays.
@Suite(
    .timeLimit(.minutes(20)),
    .enabled(if: access("/usr/bin/python3", X_OK) == 0, "there is no /usr/bin/python3 here"))
struct RunSocketTests {
    private let folder: TemporaryFolder
    private let place: String

    init() throws {
        folder = try TemporaryFolder()
        chmod(folder.url.path, 0o755)
        place = folder.url.resolvingSymlinksInPath().path
        for name in ["home", "run"] {
            try FileManager.default.createDirectory(atPath: place + "/" + name, withIntermediateDirectories: false)
        }
    }

    /// Listens at the path of its first argument, says hello to each program that connects, and runs a command.
    private static let server = """
        import os, socket, subprocess, sys, threading
        path, command = sys.argv[1], sys.argv[2:]
        server = socket.socket(socket.AF_UNIX)
        server.bind(path)
        server.listen()
        def serve():
            while True:
                one, _ = server.accept()
                one.sendall(b"hello")
                one.close()
        threading.Thread(target=serve, daemon=True).start()
        result = subprocess.run(command)
        os.unlink(path)
        sys.exit(result.returncode)
        """

    /// Connects to the path of its argument, and prints what it is told.
    private static let client = """
        import socket, sys
        one = socket.socket(socket.AF_UNIX)
        one.connect(sys.argv[1])
        print(one.recv(99).decode(), socket.gethostname())
        """

    private func connect(
        to path: String, _ options: [String], environment: [String: String] = [:], listeningAt server: String? = nil
    ) async throws -> Program {
        let own = [
            "HOME": place + "/home", "XDG_RUNTIME_DIR": place + "/run", "DISPLAY": "", "WAYLAND_DISPLAY": "",
            "XAUTHORITY": "", "SSH_AUTH_SOCK": "",
        ]
        let annex = [ChildProcess.executable("annex").path, "run"] + options
        return try await Program.run(
            "/usr/bin/python3",
            ["-c", Self.server, server ?? path] + annex + ["--", "/usr/bin/python3", "-c", Self.client, path],
            in: folder, environment: own.merging(environment) { $1 })
    }

    @Test func `a program reaches a Wayland display by its name or its path, and no other socket`() async throws {
        let display = place + "/run/wayland-7"
        for name in ["wayland-7", display] {
            let ran = try await connect(to: display, ["--allow", "display"], environment: ["WAYLAND_DISPLAY": name])
            #expect(ran.output == "hello annex\n", "\(ran.errors)")
        }
        let other = try await connect(to: place + "/run/bus", ["--allow", "display"])
        #expect(other.status != 0 && other.output.isEmpty, "\(other.output)")
        let closed = try await connect(to: display, [], environment: ["WAYLAND_DISPLAY": "wayland-7"])
        #expect(closed.status != 0 && closed.output.isEmpty, "\(closed.output)")
    }

    @Test func `a program reaches an X11 display, and learns the name of the machine with it`() async throws {
        let holder = "/tmp/.X11-unix"
        let isNew = mkdir(holder, 0o1777) == 0
        defer { if isNew { rmdir(holder) } }
        guard access(holder, W_OK) == 0 else { return }
        let number = 60_000 + Int(getpid()) % 5_000
        var name = [CChar](repeating: 0, count: 65)
        gethostname(&name, 64)
        let host = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let ran = try await connect(
            to: "\(holder)/X\(number)", ["--allow", "display"], environment: ["DISPLAY": ":\(number).0"])
        #expect(ran.output == "hello \(host)\n", "\(ran.errors)")
    }

    @Test func `SOCK-08: what is no socket of the caller is not handed over`() async throws {
        let file = place + "/run/plain"
        try Data("secret".utf8).write(to: URL(filePath: file))
        let plain = try await connect(
            to: file, ["--allow", "ssh-agent"], environment: ["SSH_AUTH_SOCK": file], listeningAt: place + "/run/s")
        #expect(plain.status == 126 && plain.errors.contains("it is no socket"), "\(plain.errors)")
        let unset = try await connect(to: place + "/run/s", ["--allow", "ssh-agent"])
        #expect(unset.status == 126, "\(unset.errors)")
        #expect(unset.errors.contains("$SSH_AUTH_SOCK: the variable SSH_AUTH_SOCK is not set"), "\(unset.errors)")
        let relative = try await connect(
            to: place + "/run/s", ["--allow", "ssh-agent"], environment: ["SSH_AUTH_SOCK": "run/s"])
        #expect(relative.status == 126 && relative.errors.contains("holds no absolute path"), "\(relative.errors)")
        let missing = try await connect(
            to: place + "/run/s", ["--allow", "ssh-agent"], environment: ["SSH_AUTH_SOCK": place + "/run/none"])
        #expect(missing.status == 126 && missing.errors.contains("/run/none"), "\(missing.errors)")
    }

    @Test(.enabled(if: geteuid() == 0, "needs root, to make a socket of another user"))
    func `SOCK-08: a socket of another user is not handed over`() async throws {
        let path = place + "/run/foreign"
        let server = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(server) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { room in room.copyBytes(from: Array(path.utf8).prefix(107)) }
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(server, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(bound == 0)
        chown(path, 4242, 4242)
        let ran = try await connect(
            to: path, ["--allow", "ssh-agent"], environment: ["SSH_AUTH_SOCK": path], listeningAt: place + "/run/s")
        #expect(ran.status == 126 && ran.errors.contains("it is a socket of uid 4242"), "\(ran.errors)")
    }

    // MARK: - A real agent

    private static let hasAgent = ["ssh-agent", "ssh-add", "ssh-keygen", "git"].allSatisfy(Program.isThere)

    /// Runs commands beside an agent that has one key.
    private func withAgent(_ commands: String) async throws -> Program {
        let script = """
            set -e
            mkdir -p home/.ssh
            ssh-keygen -q -t ed25519 -N '' -C '' -f home/.ssh/id_ed25519
            eval "$(ssh-agent -s -a "$PWD/run/agent")" >/dev/null
            trap 'kill $SSH_AGENT_PID' EXIT
            ssh-add -q home/.ssh/id_ed25519
            set +e
            \(commands)
            """
        return try await Program.run(
            "/bin/sh", ["-c", script], in: folder,
            environment: [
                "HOME": place + "/home", "XDG_CONFIG_HOME": "", "ANNEX": ChildProcess.executable("annex").path,
            ])
    }

    @Test(.enabled(if: hasAgent, "git or a part of OpenSSH is not installed"))
    func `the program uses the keys of an agent, and reads no secret key`() async throws {
        let listed = try await withAgent("\"$ANNEX\" run --allow ssh-agent -- ssh-add -l")
        // An agent serves its own user and root only, and a program of root's is neither.
        if geteuid() == 0 {
            #expect(listed.status != 0, "\(listed.output)")
            #expect(listed.errors.contains("run annex as the user of the agent"), "\(listed.errors)")
            return
        }
        #expect(listed.status == 0 && listed.output.contains("ED25519"), "\(listed.errors)")
    }

    @Test(
        .enabled(if: hasAgent, "git or a part of OpenSSH is not installed"),
        .enabled(if: geteuid() != 0, "needs an ordinary user, because no agent serves programs of root"))
    func `a commit is signed by the agent`() async throws {
        let ran = try await withAgent(
            """
            git config --global user.name A; git config --global user.email a@example.org
            git config --global gpg.format ssh; git config --global commit.gpgsign true
            git config --global user.signingkey "$HOME/.ssh/id_ed25519.pub"
            git init -q -b main work
            "$ANNEX" run --write work --allow git --allow ssh-agent -- sh -c '
                cat ~/.ssh/id_ed25519; cd work && echo x > f && git add f && git commit -q -m signed'
            git -C work cat-file commit HEAD
            """)
        #expect(ran.output.contains("gpgsig -----BEGIN SSH SIGNATURE-----"), "\(ran.errors)")
        #expect(!ran.output.contains("PRIVATE KEY"), "\(ran.output)")
    }
}
