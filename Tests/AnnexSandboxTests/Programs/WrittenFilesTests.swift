import AnnexPolicy
import AnnexTestSupport
import Foundation
import Testing

@testable import AnnexLaunch
@testable import AnnexSandbox

/// The files of `/etc` that Annex writes, and the working directory that it makes.
@Suite(.timeLimit(.minutes(20))) struct WrittenFilesTests {
    private let sandbox: Sandbox

    init() throws { sandbox = Sandbox(policy: try .shipped(named: "tool")) }

    /// The names of the program's user and group. A program of root has names that Annex gives.
    private static var names: (user: String, group: String) {
        guard geteuid() != 0 else { return ("annex", "annex") }
        return (
            getpwuid(geteuid()).map { String(cString: $0.pointee.pw_name) } ?? "\(geteuid())",
            getgrgid(getegid()).map { String(cString: $0.pointee.gr_name) } ?? "\(getegid())"
        )
    }

    private func output(_ script: String, _ hand: (inout SandboxProgram) -> Void = { _ in }) async throws -> String {
        var program = SandboxProgram("/bin/sh", arguments: ["-c", script])
        hand(&program)
        return String(decoding: try await sandbox.run(program).output, as: UTF8.self)
    }

    @Test func `the program has a name, and its files of etc name nothing of the host`() async throws {
        let (user, group) = Self.names
        #expect(try await output("id -un; id -gn; echo ~\(user)") == "\(user)\n\(group)\n/tmp\n")
        let users = try await output("cut -d: -f1 /etc/passwd; cut -d: -f1 /etc/group")
        let others = [("nobody\n", user), ("nogroup\n", group)].map { $0.hasPrefix($1) ? "" : $0 }
        #expect(users == "root\n\(user)\n\(others[0])root\n\(group)\n\(others[1])")
        #expect(try await output("cat /etc/hosts").contains("127.0.0.1 localhost annex"))
    }

    @Test func `the files of etc cannot be changed`() async throws {
        let script =
            "for file in passwd group hosts nsswitch.conf; do echo x 2>&- >> /etc/$file || echo no; done; : > /etc/new || echo no"
        #expect(try await output("{ \(script); } 2>/dev/null") == "no\nno\nno\nno\n")
    }

    @Test func `a file of the host that is handed over takes the place of a written one`() async throws {
        let host = try String(contentsOfFile: "/etc/hosts", encoding: .utf8)
        #expect(try await output("cat /etc/hosts") { $0.read("/etc/hosts") } == host)
    }

    @Test func `the working directory of the caller exists and is empty`() async throws {
        let here = try #require(SandboxProgram.callersDirectory)
        try #require(try !FileManager.default.contentsOfDirectory(atPath: here).isEmpty)
        #expect(try await output("pwd; ls -A && echo listed").hasPrefix(here + "\nlisted\n"))
        #expect(try await output("ls -A | wc -l").trimmingCharacters(in: .whitespacesAndNewlines) == "0")
    }

    @Test(arguments: ["/", "/proc", "/proc/self", "/dev/shm/x", "/bundle/x", "/usr/local/x", "/etc/passwd"])
    func `no directory is made where the sandbox has something of its own`(path: String) throws {
        #expect(!sandbox.policy.canMakeDirectory(at: path))
    }

    @Test(arguments: ["/home/somebody/project", "/srv/x", "/tmp/x/y", "/etc/other"])
    func `a directory is made elsewhere`(path: String) throws {
        #expect(sandbox.policy.canMakeDirectory(at: path))
    }

    @Test func `named pipes and sockets can be made if the policy allows the calls`() async throws {
        let script = "mkfifo /tmp/pipe 2> /dev/null; echo $?"
        #expect(try await output(script) == "1\n")
        let open = Sandbox(policy: try .shipped(named: "tool+sockets"))
        let program = SandboxProgram(
            "/bin/sh", arguments: ["-c", "\(script); mknod /tmp/node c 1 3 2> /dev/null; echo $?"])
        #expect(String(decoding: try await open.run(program).output, as: UTF8.self) == "0\n1\n")
    }
}
