import AnnexTestSupport
import Foundation
import Glibc
import Testing

/// Clients of a socket file print no path. The broker remembers the path of a refused connection, and variables of the
/// caller's environment name sockets.
@Suite(.timeLimit(.minutes(20))) struct RunConnectionTests {
    private let folder: TemporaryFolder
    /// A home outside `/tmp`, where the sandbox has a directory of its own.
    private let home: String

    init() throws {
        folder = try TemporaryFolder()
        chmod(folder.url.path, 0o777)
        home = "/var/tmp/annex-lead-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
        chmod(home, 0o755)
    }

    private func withHome<Result>(_ body: () async throws -> Result) async throws -> Result {
        defer { try? FileManager.default.removeItem(atPath: home) }
        return try await body()
    }

    private func run(
        _ options: [String], _ program: [String], environment: [String: String] = [:]
    ) async throws -> Program {
        try await Program.run(
            "annex", ["run"] + options + ["--"] + program, in: folder,
            environment: ["HOME": home].merging(environment) { $1 })
    }

    private static func hint(_ program: Program) -> String {
        program.errors.split(separator: "\n").last { $0.hasPrefix("annex: hint: ") }.map(String.init) ?? ""
    }

    /// A socket on which this process listens.
    private func listen(at path: String) throws -> FileHandle {
        let number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        try #require(number >= 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = path.utf8.map { CChar(bitPattern: $0) }
        try #require(bytes.count < MemoryLayout.size(ofValue: address.sun_path))
        withUnsafeMutableBytes(of: &address.sun_path) { room in
            for (index, byte) in bytes.enumerated() { room[index] = UInt8(bitPattern: byte) }
        }
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(bound == 0 && Glibc.listen(number, 8) == 0)
        chmod(path, 0o777)
        return FileHandle(fileDescriptor: number, closeOnDealloc: true)
    }

    private static let connecting = [
        "perl", "-MIO::Socket::UNIX", "-e", "IO::Socket::UNIX->new(Peer => $ARGV[0]) or die qq(no agent\n)",
    ]

    /// A client prints no path. The broker remembers the path of the connection.
    @Test(.enabled(if: Program.isThere(tool: "perl"), "perl is not installed"))
    func `a refused connection is remembered without --explain`() async throws {
        try await withHome {
            let below = "/tmp/annex-lead-\(UUID().uuidString)"
            defer { unlink(below) }
            for path in [home + "/s", below] {
                let server = try listen(at: path)
                let failed = try await run(["--allow", "sockets"], Self.connecting + [path])
                #expect(Self.hint(failed).contains("connect to \(path): denied by "), "\(failed.errors)")
                #expect(Self.hint(failed).contains("allowed by: --read \(path);"), "\(failed.errors)")
                for option in ["--read", "--write"] {
                    let worked = try await run(["--allow", "sockets", option, path], Self.connecting + [path])
                    #expect(worked.status == 0, "\(worked.errors)")
                }
                try server.close()
            }
            // A socket of the program's own is not taken for the host's file of the same name.
            let server = try listen(at: below + "x")
            defer { unlink(below + "x") }
            let own = "my $s = IO::Socket::UNIX->new(Local => $ARGV[0], Listen => 1) or die 1; " + Self.connecting[3]
            let made = try await run(
                ["--allow", "sockets"], ["perl", "-MIO::Socket::UNIX", "-e", own + "; exit 3", below + "x"])
            #expect(made.status == 3 && !made.errors.contains(below), "\(made.errors)")
            try server.close()
        }
    }

    @Test(.enabled(if: Program.isThere(tool: "ssh-add"), "ssh-add is not installed"))
    func `the agent for keys is named with all that it needs`() async throws {
        try await withHome {
            let path = home + "/agent"
            let server = try listen(at: path)
            let failed = try await run([], ["ssh-add", "-l"], environment: ["SSH_AUTH_SOCK": path])
            // An agent answers its own user only, and the programs of root have another one.
            let lead = geteuid() == 0 ? "run annex as that user, and not as root" : "add --allow ssh-agent;"
            #expect(Self.hint(failed).contains(path) && Self.hint(failed).contains(lead), "\(failed.errors)")
            let part = try await run(
                ["--allow", "sockets", "--env", "SSH_AUTH_SOCK"], ["ssh-add", "-l"],
                environment: ["SSH_AUTH_SOCK": path])
            #expect(Self.hint(part).contains(lead), "\(part.errors)")
            try server.close()
            if geteuid() == 0 { return }
            let worked = try await Program.run(
                "/bin/sh",
                [
                    "-c",
                    "eval $(ssh-agent -a '\(path)2') >/dev/null; chmod 777 '\(path)2'; "
                        + "\"$0\" run --allow ssh-agent -- ssh-add -l; ssh-agent -k",
                    ChildProcess.executable("annex").path,
                ], in: folder, environment: ["HOME": home])
            #expect(worked.output.contains("The agent has no identities."), "\(worked.output) \(worked.errors)")
        }
    }

    @Test(.enabled(if: Program.isThere(tool: "perl"), "perl is not installed"))
    func `a display is named by its allowance, for an error and for a refused connection`() async throws {
        try await withHome {
            let server = try listen(at: home + "/wayland-7")
            let environment = [
                "WAYLAND_DISPLAY": home + "/wayland-7", "XDG_RUNTIME_DIR": home, "DISPLAY": "", "XAUTHORITY": "",
            ]
            let program = Self.connecting + [home + "/wayland-7"]
            let script = "\"$@\" 2>/dev/null || { echo 'Error: cannot open display: :0' >&2; exit 1; }"
            let failed = try await run([], ["sh", "-c", script, "sh"] + program, environment: environment)
            #expect(Self.hint(failed).contains("wayland-7: add --allow display;"), "\(failed.errors)")
            let refused = try await run(["--allow", "sockets"], program, environment: environment)
            #expect(Self.hint(refused).contains("allowed by: --allow display;"), "\(refused.errors)")
            let worked = try await run(["--allow", "display"], program, environment: environment)
            #expect(worked.status == 0, "\(worked.errors)")
            try server.close()
        }
    }
}
