import AnnexLinux
import AnnexPolicy
import AnnexTestSupport
import Foundation
import Testing

@testable import AnnexLaunch
@testable import AnnexSandbox

/// A program that root starts runs as another user. In the places that root hands over, root's files belong to it.
@Suite(
    .timeLimit(.minutes(20)), .enabled(if: geteuid() == 0, "needs root: as another user, programs run as the caller"))
struct CallersFilesTests {
    private let home: TemporaryFolder
    private let sandbox: Sandbox

    private var folder: String { home.url.path }

    init() throws {
        home = try TemporaryFolder()
        chmod(home.url.path, 0o755)
        try Data("mine\n".utf8).write(to: home.url.appending(path: "mine"))
        chmod(home.url.path + "/mine", 0o600)
        sandbox = Sandbox(policy: try .shipped(named: "tool"))
    }

    private func run(
        _ script: String, in sandbox: Sandbox? = nil, _ hand: (inout SandboxProgram) -> Void
    ) async throws -> (output: String, report: SandboxRunReport) {
        var program = SandboxProgram("/bin/sh", arguments: ["-c", "cd \(folder); { \(script); } 2>&1"])
        hand(&program)
        let result = try await (sandbox ?? self.sandbox).run(program)
        return (String(decoding: result.output, as: UTF8.self), result.report)
    }

    private func status(_ path: String) throws -> stat {
        var found = stat()
        try #require(lstat(path, &found) == 0, "\(path)")
        return found
    }

    @Test(arguments: [false, true])
    func `a program changes and makes files of root where root lets it write`(isCode: Bool) async throws {
        let script = "cat mine; echo more >> mine; mkdir d; echo x > d/new; stat -c %u:%g . mine d/new"
        let (output, report) = try await run(script) { isCode ? $0.writeAndExecute(folder) : $0.write(folder) }
        // The group of a file that root made is no group of the sandbox, which the kernel shows as 65534.
        #expect(output == "mine\n65533:65534\n65533:65534\n65533:65533\n", "\(output)")
        #expect(report.foreignPlaces.isEmpty)
        for path in ["/mine", "/d", "/d/new"] { #expect(try status(folder + path).st_uid == 0) }
        // The group tells a later launch that a program made the file.
        #expect(IdentityRange.standard.contains(try status(folder + "/d/new").st_gid))
    }

    @Test func `FS-14: no program of root can be made with the right to run as root`() async throws {
        let script = "cp /bin/true made; chmod 4755 made; chmod 2755 made; chmod 755 made"
        _ = try await run(script) { $0.write(folder) }
        let mode = try status(folder + "/made").st_mode
        #expect(mode & 0o7777 == 0o755)
    }

    @Test func `FS-14: under a policy that lets the mode bits be set, the files stay those of root`() async throws {
        let text = """
            policy: sets
            summary: A test.
            includes: [tool]
            allow:
              - reason: A test.
                calls: [chmod, fchmod, fchmodat]

            """
        try Data(text.utf8).write(to: home.url.appending(path: "sets.yaml"))
        let open = Sandbox(policy: try PolicyLibrary.standard(overriding: folder).policy(named: "sets"))
        let (output, report) = try await run("echo x > new; cat mine", in: open) { $0.write(folder) }
        #expect(output.contains("ermission denied"), "\(output)")
        #expect(report.foreignPlaces.map(\.path.description) == [folder])
        #expect(report.foreignPlaces.first?.reason.contains("set-user-ID") == true)
    }

    /// Gives CAP_NET_RAW to everyone who executes a file. The value is version 2 of the kernel's format: the version with
    /// the effective bit, then the permitted and the inheritable capabilities in two halves.
    private func addCapability(to file: String) async throws {
        #if arch(arm64)
            let call = 5
        #else
            let call = 188
        #endif
        let script = """
            my ($name, $value) = ("security.capability", pack("V5", 0x02000001, 1 << 13, 0, 0, 0));
            syscall(\(call), $ARGV[0], $name, $value, length $value, 0) == 0 or die "$!\n"
            """
        let result = try await Program.tool(["perl", "-e", script, file])
        try #require(result.status == 0, "\(result.errors)")
    }

    /// The kernel takes these rights away if a program writes to the file, but not if it changes the file's memory.
    @Test(arguments: [(mode_t(0o4755), "set-user-ID"), (0o2755, "set-group-ID"), (0o755, "capabilities")])
    func `FS-14: a program that gives its own rights is not changed`(mode: mode_t, right: String) async throws {
        let tools = folder + "/tools"
        try FileManager.default.createDirectory(atPath: tools, withIntermediateDirectories: false)
        let tool = tools + "/tool"
        try Data("before\n".utf8).write(to: URL(filePath: tool))
        chmod(tool, mode)
        if mode == 0o755 { try await addCapability(to: tool) }
        let script = """
            perl -e 'open(F, "+<", "tools/tool") or die "closed: $!\n"; print "open\n"'
            """
        let (output, report) = try await run(script) { $0.write(folder) }
        #expect(output.hasPrefix("closed"), "\(output)")
        #expect(report.foreignPlaces.first?.reason.contains(right) == true, "\(report.foreignPlaces)")
        // In a place for reading, the file is safe.
        let (kept, narrower) = try await run("echo x > new; cat new; " + script) {
            $0.write(folder)
            $0.read(tools)
        }
        #expect(kept.hasPrefix("x\nclosed") && narrower.foreignPlaces.isEmpty, "\(kept)")
    }

    /// In such a directory, a new link gets the directory's group and not the group of the program. Moved away, it would
    /// look like any link of root's.
    @Test(arguments: ["shared", "inner"])
    func `FS-33: in a place with a set-group-ID directory, a program makes no link of root`(name: String) async throws {
        let secret = folder + "/secret"
        try Data("secret\n".utf8).write(to: URL(filePath: secret))
        let shared = folder + "/shared"
        try FileManager.default.createDirectory(atPath: shared + "/inner", withIntermediateDirectories: true)
        chmod(folder + (name == "inner" ? "/shared/inner" : "/shared"), 0o2775)
        let script = "ln -s \(secret) shared/inner/link; ln -s \(secret) shared/link; mv shared/inner/link link; ls -l"
        let (output, report) = try await run(script) { $0.write(shared) }
        #expect(report.foreignPlaces.first?.reason.contains("\(name) has the set-group-ID bit") == true, "\(report)")
        for link in [shared + "/link", shared + "/inner/link"] { #expect(access(link, F_OK) != 0, "\(output)") }
        // Where every user may write, the link belongs to the program's own user.
        chmod(folder + (name == "inner" ? "/shared/inner" : "/shared"), 0o2777)
        _ = try await run(script) { $0.write(shared) }
        let made = name == "inner" ? shared + "/inner/link" : shared + "/link"
        let error = #expect(throws: SystemError.self) { _ = try HostPath.resolve(made).path }
        #expect(error?.errno == EPERM, "\(String(describing: error))")
    }

    /// A walk leaves out a place for reading. A place for writing inside it is examined by itself.
    @Test func `FS-14: a place for writing inside a place for reading is examined too`() async throws {
        let inner = folder + "/kept/inner"
        try FileManager.default.createDirectory(atPath: inner, withIntermediateDirectories: true)
        try Data("before\n".utf8).write(to: URL(filePath: inner + "/tool"))
        chmod(inner + "/tool", 0o4755)
        let (output, report) = try await run("echo x > new; cat new; echo x > kept/inner/new") {
            $0.write(folder)
            $0.read(folder + "/kept")
            $0.write(inner)
        }
        #expect(output.hasPrefix("x\n") && output.contains("ermission denied"), "\(output)")
        #expect(report.foreignPlaces.map(\.path.description) == [inner], "\(report.foreignPlaces)")
    }

    @Test func `FS-14: a program with a name that cannot be spelled is not overlooked`() async throws {
        for (mode, isForeign) in [(mode_t(0o644), false), (0o755, true), (0o4644, true)] {
            let name = Array((folder + "/").utf8CString.dropLast()) + [CChar(bitPattern: 0xFF), 0]
            let file = open(name, O_WRONLY | O_CREAT, 0o600)
            try #require(file >= 0)
            fchmod(file, mode)
            close(file)
            let (_, report) = try await run("true") { $0.write(folder) }
            #expect(report.foreignPlaces.isEmpty != isForeign, "\(mode) \(report.foreignPlaces)")
        }
    }

    @Test func `a place that only the policy grants stays closed where root closed it`() async throws {
        let text = """
            policy: grants
            summary: A test.
            includes: [tool]
            paths: { grants: [{ reason: A test., rights: [read], paths: ['\(folder)/mine'] }] }

            """
        try Data(text.utf8).write(to: home.url.appending(path: "grants.yaml"))
        let granting = Sandbox(policy: try PolicyLibrary.standard(overriding: folder).policy(named: "grants"))
        #expect(try await run("cat mine", in: granting) { _ in }.output.contains("ermission denied"))
        let handed = try await run("cat mine", in: granting) { $0.read(folder + "/mine") }
        #expect(handed.output == "mine\n", "\(handed.output)")
    }

    @Test func `a file system without id maps is in the report, and its files stay those of root`() async throws {
        let place = folder + "/ram"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        try #require(mount("annex-test", place, "ramfs", 0, nil) == 0)
        defer { umount2(place, Int32(MNT_DETACH)) }
        for path in [place, folder] {
            let (output, report) = try await run("echo x > \(place)/new") { $0.write(path) }
            #expect(output.contains("ermission denied"), "\(output)")
            #expect(report.foreignPlaces.map(\.path.description) == [path])
            #expect(report.foreignPlaces.first?.reason.contains("id map") == true)
        }
    }

    @Test func `files of other users stay theirs`() async throws {
        for (name, mode) in [("theirs", mode_t(0o600)), ("open", 0o666)] {
            try Data("other\n".utf8).write(to: home.url.appending(path: name))
            chown(folder + "/" + name, 4242, 4242)
            chmod(folder + "/" + name, mode)
        }
        let (output, _) = try await run("cat theirs; echo more >> open; cat open") { $0.write(folder) }
        #expect(output.contains("ermission denied") && output.hasSuffix("other\nmore\n"), "\(output)")
        #expect(try status(folder + "/open").st_uid == 4242)
    }

    @Test(arguments: [mode_t(0o755), 0o700], [false, true])
    func `a place for reading gives private files of root, and lets none be changed`(
        mode: mode_t, isCode: Bool
    ) async throws {
        chmod(folder, mode)
        let script = "cat mine; stat -c %u:%g mine; echo x > mine; chmod 644 mine; touch mine"
        for place in [folder, folder + "/mine"] {
            let (output, report) = try await run(script) { isCode ? $0.execute(place) : $0.read(place) }
            #expect(output.hasPrefix("mine\n65533:65534\n") && output.contains("ead-only"), "\(output)")
            #expect(report.foreignPlaces.isEmpty)
        }
        #expect(try String(contentsOfFile: folder + "/mine", encoding: .utf8) == "mine\n")
        #expect(try status(folder + "/mine").st_mode & 0o777 == 0o600)
    }

    @Test func `the program can tell its own files from those of others, and gives none away`() async throws {
        try Data("other\n".utf8).write(to: home.url.appending(path: "theirs"))
        chown(folder + "/theirs", 4242, 4242)
        let script = """
            stat -c %U theirs mine; find . -user annex; chown nobody mine; chgrp nogroup mine; cp -p mine copy
            """
        let (output, _) = try await run(script) { $0.write(folder) }
        #expect(output.hasPrefix("nobody\nannex\n.\n./mine\nchown: "), "\(output)")
        #expect(output.contains("chgrp: ") && !output.contains("cp: "), "\(output)")
        #expect(try status(folder + "/mine").st_uid == 0 && status(folder + "/copy").st_uid == 0)
    }

    @Test func `what root closed among the files of services stays closed, unless root names it`() async throws {
        let around = try await run("cat /etc/shadow; stat -c %u /etc/hostname") { $0.read("/etc") }
        #expect(around.output.hasSuffix("ermission denied\n65534\n"), "\(around.output)")
        let named = try await run("cat /etc/shadow") {
            $0.read("/etc")
            $0.read("/etc/shadow")
        }
        #expect(named.output.contains("root:"))
        let services = ServicePlaces()
        for path in [
            "/etc", "/etc/x", "/var", "/var/lib/x", "/srv", "/opt", "/usr/x", "/run/x", "/boot", "/var/tmp", "/",
        ] {
            #expect(services.hold(path), "\(path)")
        }
        for path in ["/srv/x", "/opt/x", "/var/tmp/x", "/tmp/x", "/home/u", "/root/x", "/etcx", "/variable"] {
            #expect(!services.hold(path), "\(path)")
        }
    }

    /// Many servers keep /var/log on a file system of its own.
    @Test func `a mount below a directory of services is one of theirs, and a hidden one too`() {
        let services = ServicePlaces(
            MountTable(
                """
                1 0 8:1 / / rw - ext4 a rw
                2 1 8:2 / /var/log rw - ext4 b rw
                3 1 8:3 / /etc rw - tmpfs c rw
                4 1 8:1 / /bm rw - ext4 a rw
                5 1 8:4 / /var/tmp rw - tmpfs d rw
                6 1 8:5 / /srv/x rw - ext4 e rw
                7 1 8:2 /audit /mnt/audit rw - ext4 b rw
                8 1 8:6 / /run/media/me/stick rw - vfat f rw
                9 1 8:1 /home/u/site /var/www rw - ext4 a rw
                10 1 8:1 / /run/other rw - ext4 a rw
                11 1 8:2 /audit /var/tmp/z rw - ext4 b rw
                """))
        for path in [
            "/var/log", "/var/log/audit", "/mnt/audit", "/var/www", "/run/other/x", "/var/tmp/z", "/etc/x", "/bm/etc",
            "/bm/etc/x", "/bm", "/bm/var/lib",
        ] {
            #expect(services.hold(path), "\(path)")
        }
        for path in [
            "/srv/x", "/srv/x/y", "/var/tmp/x", "/bm/home/x", "/bm/var/tmp/x", "/run/media/me/stick/x", "/home/u/site",
            "/home/u",
        ] {
            #expect(!services.hold(path), "\(path)")
        }
    }

    @Test func `a home is no place of credentials, and what it holds can be one`() {
        let places = CredentialPlaces()
        for path in ["/root/x", "/home/u", "/home/u/project", "/usr/share"] {
            #expect(!places.concern(path), "\(path)")
        }
        let held = [
            "/etc/shadow", "/etc/ssl/private/x", "/etc/sudoers.d", "/home/u/.ssh/id", "/root/.aws/credentials",
        ]
        for path in held { #expect(places.hold(path), "\(path)") }
        #expect(places.concern("/etc/ssl") && places.concern("/etc") && !places.hold("/etc/ssl"))
    }

    /// A program sees the directory by another path than the machine's services.
    @Test func `a directory of services is one wherever it is mounted`() async throws {
        let place = folder + "/other"
        for name in ["/other", "/other/etc"] {
            try FileManager.default.createDirectory(atPath: folder + name, withIntermediateDirectories: false)
        }
        try #require(mount("/etc", place + "/etc", nil, UInt(MS_BIND), nil) == 0)
        defer { umount2(place + "/etc", Int32(MNT_DETACH)) }
        for shown in [place, place + "/etc"] {
            let (output, _) = try await run("cat \(place)/etc/shadow; cat \(place)/etc/hostname") { $0.read(shown) }
            #expect(output.contains("ermission denied") && !output.contains("root:"), "\(output)")
        }
    }

    @Test func `no mount of the files of the system is handed over for writing`() async throws {
        let place = folder + "/other/etc"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        try #require(mount("/etc", place, nil, UInt(MS_BIND), nil) == 0)
        defer { umount2(place, Int32(MNT_DETACH)) }
        for shown in [folder + "/other", place, place + "/ssl"] {
            await #expect {
                _ = try await run("true") { $0.write(shown) }
            } throws: {
                "\($0)".contains("a mount shows the system's own files at \(shown.hasSuffix("r") ? place : shown)")
            }
        }
        let new = folder + "/new"
        try FileManager.default.createDirectory(atPath: new, withIntermediateDirectories: false)
        _ = try await run("true") { $0.write(new) }
    }

    @Test func `a private file that root names is read where the place around it takes no id map`() async throws {
        let ram = folder + "/ram"
        try FileManager.default.createDirectory(atPath: ram, withIntermediateDirectories: true)
        try #require(mount("annex-test", ram, "ramfs", 0, nil) == 0)
        defer { umount2(ram, Int32(MNT_DETACH)) }
        let (output, _) = try await run("cat mine") {
            $0.read(folder)
            $0.read(folder + "/mine")
        }
        #expect(output == "mine\n", "\(output)")
    }

    @Test func `a directory without its credentials gives private files only if it is private itself`() async throws {
        let open = try await run("cat mine") { $0.readAllButCredentials(folder) }
        #expect(open.output.contains("ermission denied"), "\(open.output)")
        chmod(folder, 0o700)
        let closed = try await run("cat mine") { $0.readAllButCredentials(folder) }
        #expect(closed.output == "mine\n", "\(closed.output)")
    }

    @Test func `a private directory of root is the private directory of the program`() async throws {
        let text = """
            policy: keeps
            summary: A test.
            includes: [tool]
            paths: { private: { persistent: { size: 1M, inodes: 10 } } }

            """
        try Data(text.utf8).write(to: home.url.appending(path: "keeps.yaml"))
        var keeping = Sandbox(policy: try PolicyLibrary.standard(overriding: folder).policy(named: "keeps"))
        let kept = folder + "/kept"
        try FileManager.default.createDirectory(atPath: kept, withIntermediateDirectories: true)
        chmod(kept, 0o700)
        keeping.privateDirectory = kept
        let (output, report) = try await run("cd; echo x > new; cat new", in: keeping) { _ in }
        #expect(output.hasSuffix("x\n") && report.foreignPlaces.isEmpty, "\(output)")
        #expect(try status(kept + "/new").st_uid == 0)
    }
}

@Suite(.timeLimit(.minutes(20))) struct ExchangingMapTests {
    @Test(arguments: [
        ("0 0 4294967295\n", "0 9 1\n1 1 8\n9 0 1\n10 10 4294967285\n"),
        ("0 100000 65536\n", "0 9 1\n1 1 8\n9 0 1\n10 10 65526\n"),
        ("0 1000 1\n9 5 1\n20 70 3\n", "0 9 1\n9 0 1\n20 20 3\n"),
    ])
    func `a map exchanges two numbers and leaves the others as they are`(own: String, lines: String) {
        #expect(IdentityMap(text: own).lines(exchanging: 0, with: 9) == lines)
        #expect(IdentityMap(text: own).lines(exchanging: 9, with: 0) == lines)
    }
}
