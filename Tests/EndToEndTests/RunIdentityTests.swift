import AnnexTestSupport
import Foundation
import Testing

/// Who the program of `annex run` is: for itself, for the files that it makes, and for others.
///
/// If the tests run as root, an ordinary user without a line in `/etc/passwd` runs `annex`.
@Suite(.timeLimit(.minutes(20))) struct RunIdentityTests {
    private let folder: TemporaryFolder
    private static let isRoot = geteuid() == 0
    private static let user: UInt32 = isRoot ? UnknownUser.number : getuid()
    private static let group: UInt32 = isRoot ? UnknownUser.group : getgid()

    init() throws {
        folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: false)
        try Data().write(to: URL(filePath: home + "/.rc"))
        for place in ["", "/home", "/home/.rc"] where Self.isRoot {
            chown(folder.url.path + place, Self.user, Self.group)
        }
    }

    private var home: String { folder.url.path + "/home" }

    private static var annex: String { ExampleBundles.products.appending(path: "annex").path }

    private func command(named name: String, group: UInt32 = group) -> [String] {
        guard Self.isRoot else { return [] }
        return ["setpriv", "--reuid", "\(Self.user)", "--regid", "\(group)", "--clear-groups", "env", "USER=\(name)"]
    }

    /// Runs a command as the ordinary user.
    private func asUser(
        _ words: [String], named name: String = "visitor", group: UInt32 = group
    ) async throws -> Program {
        let all = command(named: name, group: group) + words
        return try await Program.run("/usr/bin/env", all, in: folder, environment: ["HOME": home])
    }

    private func run(
        _ options: [String] = [], script: String, named name: String = "visitor", group: UInt32 = group
    ) async throws -> Program {
        try await asUser([Self.annex, "run"] + options + ["--", "sh", "-c", script], named: name, group: group)
    }

    @Test func `the program of an ordinary user has the numbers and the name of the user`() async throws {
        let inside = try await run(script: "id -u; id -g; whoami; echo $USER $LOGNAME; id -un; id -gn")
        let outside = try await asUser(["sh", "-c", "id -un"])
        let name = Self.isRoot ? "visitor" : outside.output.trimmingCharacters(in: .whitespacesAndNewlines)
        let lines = inside.output.split(separator: "\n").map(String.init)
        #expect(lines.prefix(5) == ["\(Self.user)", "\(Self.group)", name, "\(name) \(name)", name], "\(inside)")
        #expect(inside.status == 0 && lines.count == 6, "\(inside)")
        if Self.isRoot { #expect(lines.last == "\(Self.group)") }
    }

    @Test(.enabled(if: isRoot, "needs root: the names of this user are in /etc/passwd"))
    func `a name that belongs to another user or that no line can hold is not taken`() async throws {
        let number = "\(Self.user)\n"
        for name in ["root", "nobody", "a:b", "", "-x", "daemon", "two\nlines"] {
            let said = try await run(script: "whoami; id -un \(Self.user)", named: name)
            #expect(said.output == number + number, "\(name)")
        }
        let none = try await asUser([
            "env", "-u", "USER", Self.annex, "run", "--", "sh", "-c", "whoami; echo $USER",
        ])
        #expect(none.output == number + number, "\(none)")
    }

    @Test func `other users and groups have their names too`() async throws {
        let said = try await run(script: "id -un 0; id -un 65534; stat -c '%U %G' /proc/self/. /usr")
        #expect(said.status == 0 && said.output.hasPrefix("root\nnobody\n"), "\(said)")
        #expect(said.output.hasSuffix("nobody nogroup\n"), "a file of root's: \(said)")
    }

    @Test func `the home of the user is HOME`() async throws {
        let find = "while IFS=: read -r n x u g c h s; do [ $u = $(id -u) ] && echo \"$n $h $s\"; done < /etc/passwd"
        let plain = try await run(script: "\(find); echo $HOME")
        #expect(plain.output.hasSuffix(" /tmp /bin/sh\n/tmp\n"), "\(plain)")
        let own = try await run(["--read", "home/.rc"], script: "\(find); echo $HOME")
        #expect(own.output.hasSuffix(" \(home) /bin/sh\n\(home)\n"), "\(own)")
        let stated = try await run(["--env", "HOME=/srv/x y"], script: find)
        #expect(stated.output.hasSuffix(" /srv/x y /bin/sh\n"), "\(stated)")
        for odd in ["HOME=/a:b", "HOME=/a\nb:x:0:0::/:/bin/sh", "HOME=" + String(repeating: "/long", count: 900)] {
            let line = try await run(["--env", odd], script: "\(find); grep -c : /etc/passwd")
            #expect(line.output.contains(" / /bin/sh\n") && line.status == 0, "\(line)")
        }
    }

    @Test(.enabled(if: Program.isThere(tool: "git"), "needs git"))
    func `the index of git is the same inside and outside`() async throws {
        let made = try await asUser([
            "sh", "-c",
            """
            git init -q . && for i in 1 2 3; do echo $i > f$i; done && git add . && \
            git -c user.name=a -c user.email=a@b commit -qm x && touch -d '1 hour ago' f1 f2 f3 && git status
            """,
        ])
        #expect(made.status == 0, "\(made)")
        let check = "git diff-files --quiet; echo $?; git diff-files | wc -l"
        let inside = try await run(["--write", "."], script: "\(check); git status > /dev/null")
        #expect(inside.output.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) } == ["0", "0"])
        let outside = try await asUser(["sh", "-c", check])
        #expect(outside.output.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) } == ["0", "0"])
    }

    @Test(.enabled(if: isRoot && Program.isThere(tool: "git"), "needs root, who makes a foreign repository, and git"))
    func `a repository of another user stays foreign`() async throws {
        let place = folder.url.path + "/foreign"
        _ = try await Program.tool(["git", "init", "-q", place])
        _ = try await Program.tool(["chmod", "-R", "a+rX", place])
        for words in [[], [Self.annex, "run", "--read", place, "--"]] {
            let said = try await asUser(words + ["git", "-C", place, "status"])
            #expect(said.status != 0 && said.errors.contains("dubious ownership"), "\(said)")
        }
        let owner = try await run(["--read", place], script: "stat -c '%u %g' \(place)")
        #expect(owner.output == "65534 65534\n", "\(owner)")
    }

    @Test(.enabled(if: Program.isThere(tool: "tar"), "needs tar"))
    func `an archive names the user`() async throws {
        let made = try await run(["--write", "."], script: "echo x > file; tar cf made.tar file; stat -c %u:%g file")
        #expect(made.output == "\(Self.user):\(Self.group)\n", "\(made)")
        let listed = try await asUser(["tar", "--numeric-owner", "-tvf", "made.tar"])
        #expect(listed.output.contains(" \(Self.user)/\(Self.group) "), "\(listed)")
        if Self.isRoot {
            #expect(try await asUser(["tar", "-tvf", "made.tar"]).output.contains(" visitor/\(Self.group) "))
        }
    }

    @Test func `the program can become who it is and nobody else`() async throws {
        let (user, group) = (Self.user, Self.group)
        func become(user: Int, group: Int) -> String {
            "/usr/bin/python3 -c 'import os; os.setresgid(*[\(group)] * 3); os.setresuid(*[\(user)] * 3)'"
        }
        let (mine, ours) = (Int(user), Int(group))
        let own = "\(become(user: mine, group: ours)) && chown \(user):\(group) file && echo own"
        let others = [0, 65534, 4711].filter { $0 != mine && $0 != ours }.map {
            "chown \($0) file || chgrp \($0) file || \(become(user: $0, group: ours))"
                + " || \(become(user: mine, group: $0)) || echo no"
        }
        let script = "touch file; \(own); { \(others.joined(separator: "; ")); } 2> /dev/null"
        let said = try await run(["--write", "."], script: script)
        #expect(said.output == "own\n" + String(repeating: "no\n", count: others.count), "\(said)")
    }

    /// D-Bus services compare both numbers (EXTERNAL).
    @Test(.enabled(if: Program.isThere(tool: "perl"), "needs perl"))
    func `a service outside sees the user that the program sees`() async throws {
        let path = folder.url.path + "/s"
        let listening = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(listening) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listening, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(bound == 0 && listen(listening, 1) == 0 && chmod(path, 0o777) == 0)
        let script = "use IO::Socket::UNIX; IO::Socket::UNIX->new(Peer => 's')->print(\"$< $> \" . ($( + 0))"
        let said = try await asUser(
            [Self.annex, "run", "--allow", "sockets", "--write", ".", "--", "perl", "-e", script])
        try #require(said.status == 0, "\(said)")
        let peer = accept(listening, nil, nil)
        defer { close(peer) }
        // The kernel's `struct ucred`: process, user, group.
        var seen = [UInt32](repeating: 0, count: 3)
        var size = socklen_t(12)
        try #require(getsockopt(peer, SOL_SOCKET, SO_PEERCRED, &seen, &size) == 0)
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = read(peer, &bytes, bytes.count)
        #expect(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self) == "\(seen[1]) \(seen[1]) \(seen[2])")
        #expect(seen[1] == Self.user && seen[2] == Self.group)
    }

    @Test(.enabled(if: isRoot, "needs root, who has users to give"))
    func `the program of root has numbers of its own that say nothing`() async throws {
        let said = try await Program.annex(
            ["run", "--", "sh", "-c", "id -u; id -g; id -un; id -gn; echo \"$USER$LOGNAME\""], in: folder)
        #expect(said.output == "65533\n65533\nannex\nannex\n\n", "\(said)")
    }

    @Test(.enabled(if: isRoot, "needs root, who chooses the group of the user"))
    func `a user in the group of root keeps this group`() async throws {
        let said = try await run(script: "id -u; id -g; id -gn; id -Gn", group: 0)
        #expect(said.output == "\(Self.user)\n0\nroot\nroot\n", "\(said)")
    }

    @Test func `a user without a number in its namespace is told so`() async throws {
        let said = try await asUser(["unshare", "-U", Self.annex, "run", "--", "true"])
        #expect(said.status == 126 && said.errors.contains("no number in its user namespace"), "\(said)")
        let mapped = try await asUser(["unshare", "-U", "-c", Self.annex, "run", "--", "id", "-u"])
        #expect(mapped.output == "\(Self.user)\n", "one number is enough: \(mapped)")
    }
}
