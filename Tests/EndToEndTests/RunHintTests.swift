import AnnexTestSupport
import Foundation
import Testing

/// After a failure, the last line of `annex run` names the cause and an option. With that option the same program
/// works.
@Suite(.timeLimit(.minutes(20))) struct RunHintTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        chmod(folder.url.path, 0o777)
        try FileManager.default.copyProgram(
            at: URL(filePath: "/bin/true").resolvingSymlinksInPath(), to: folder.url.appending(path: "made"))
        chmod(folder.url.path + "/made", 0o755)
    }

    private func run(_ options: [String], script: String) async throws -> Program {
        try await Program.annex(["run"] + options + ["--", "sh", "-c", script], in: folder)
    }

    private static let causes: [(given: [String], script: String, hint: String, remedy: [String])] = [
        (["--read", "."], "./made", "use --execute . instead of --read .", ["--execute", "."]),
        (["--write", "."], "./made", "use --write-execute . instead of --write .", ["--write-execute", "."]),
        (["--read", "."], "echo x > new", "add --write .;", ["--write", "."]),
        ([], "mkfifo /tmp/pipe", "--allow sockets", ["--allow", "sockets"]),
        ([], "head -c 300M /dev/zero > /tmp/big", "add --limit scratch=1G", ["--limit", "scratch=1G"]),
        ([], "cat /etc/shells", "add --read /etc/shells;", ["--read", "/etc/shells"]),
        (
            ["--execute", "."], "echo x > new", "in place of --execute: use --write-execute .;",
            ["--write-execute", "."]
        ),
    ]

    @Test(arguments: causes.indices) func `the hint names the cause, and its option works`(index: Int) async throws {
        let cause = Self.causes[index]
        let failed = try await run(cause.given, script: cause.script)
        #expect(failed.status != 0)
        let last = failed.errors.split(separator: "\n").last.map(String.init) ?? ""
        #expect(last.hasPrefix("annex: hint: ") && last.contains(cause.hint), "\(failed.errors)")
        let worked = try await run(cause.remedy, script: cause.script)
        #expect(worked.status == 0, "\(worked.errors)")
    }

    /// The guide's own example, in a directory that only root may write to.
    @Test(.enabled(if: geteuid() == 0, "needs root: as another user, programs run as the caller"))
    func `root builds and runs what it hands over`() async throws {
        chmod(folder.url.path, 0o755)
        let script = "cp /bin/true built && chmod 755 built && ./built"
        let worked = try await run(["--write-execute", "."], script: script)
        #expect(worked.status == 0 && worked.errors.isEmpty, "\(worked)")
        #expect(try await Program.run("/bin/sh", ["-c", "stat -c %u built"], in: folder).output == "0\n")
    }

    @Test(.enabled(if: geteuid() == 0, "needs root: as another user, programs run as the caller"))
    func `root learns why its program cannot write to the directory of another user`() async throws {
        chmod(folder.url.path, 0o755)
        let other = UnknownUser.number
        chown(folder.url.path, other, other)
        for option in ["--write", "--write-execute"] {
            let failed = try await run([option, "."], script: "touch new")
            #expect(failed.status != 0)
            #expect(failed.errors.contains(". (mode 755) belongs to uid \(other)"), "\(failed.errors)")
            #expect(!failed.errors.contains("for others"), "\(failed.errors)")
            #expect(
                failed.errors.contains("setpriv --reuid \(other) --regid \(other) --clear-groups annex"),
                "\(failed.errors)")
        }
    }

    @Test(.enabled(if: geteuid() == 0, "needs root: as another user, programs run as the caller"))
    func `the command for another user takes its groups and its home from the user database`() async throws {
        let entry = try #require(getpwuid(65_534)?.pointee)
        let (group, home) = (entry.pw_gid, String(cString: entry.pw_dir))
        chmod(folder.url.path, 0o755)
        chown(folder.url.path, 65_534, 0)
        let failed = try await run(["--write", "."], script: "touch new")
        let command = "setpriv --reuid 65534 --regid \(group) --init-groups env HOME=\(home) annex run"
        #expect(failed.errors.contains(command), "\(failed.errors)")
    }

    @Test(.enabled(if: geteuid() == 0, "needs root: as another user, programs run as the caller"))
    func `root learns which file stays closed, and why`() async throws {
        let made = """
            mkdir -m 755 d && echo x > d/o && chmod 600 d/o && cp made d/p && chmod 700 d/p && chown 4242 d/o d/p &&
            cp made d/own && chmod 700 d/own
            """
        #expect(try await Program.run("/bin/sh", ["-c", made], in: folder).status == 0)
        let other = try await run(["--read", "d"], script: "cat d/o")
        #expect(other.errors.contains("annex: hint: d/o (mode 600) belongs to uid 4242"), "\(other.errors)")
        let program = try await Program.annex(["run", "--execute", "d", "--", "d/p"], in: folder)
        #expect(program.status == 126, "\(program.errors)")
        #expect(program.errors.contains("d/p (mode 700) belongs to uid 4242"), "\(program.errors)")
        let own = try await Program.annex(["run", "--execute", "d", "--", "d/own"], in: folder)
        #expect(own.status == 0, "\(own.errors)")
        let closed = try await run(["--read", "/etc"], script: "cat /etc/shadow")
        #expect(closed.errors.contains("and the program is another user. It holds credentials"), "\(closed.errors)")
        let hidden = try await run(["--read-all-but", "/etc"], script: "cat /etc/shadow")
        #expect(hidden.errors.contains("or the policy). It holds credentials"), "\(hidden.errors)")
        #expect(!(closed.errors + hidden.errors).contains("add --read"))
        let named = try await run(["--read", "/etc", "--read", "/etc/shadow"], script: "cat /etc/shadow")
        #expect(named.status == 0 && named.output.contains("root:"), "\(named.errors)")
    }

    @Test(.enabled(if: geteuid() == 0, "needs root: as another user, programs run as the caller"))
    func `root learns after a success what a program could not read or give away`() async throws {
        let made = """
            mkdir d && echo a > d/o && echo a > d/own && chmod 600 d/o && chown 4242 d/o && echo b > f && chown 4242 f
            """
        #expect(try await Program.run("/bin/sh", ["-c", made], in: folder).status == 0)
        let read = try await run(["--read", "d"], script: "grep -r a d; true")
        #expect(read.status == 0, "\(read.errors)")
        #expect(read.errors.contains("annex: note: d/o (mode 600) belongs to uid 4242"), "\(read.errors)")
        let given = try await run(["--write", "."], script: "sed -i s/b/c/ f; cp -p f copy")
        #expect(given.errors.contains("could not give a file to another user"), "\(given.errors)")
        let own = try await run(["--write", "."], script: "cp -p d/own copied; sed -i s/a/b/ d/own")
        #expect(!own.errors.contains("to another user"), "\(own.errors)")
    }

    @Test(.enabled(if: geteuid() == 0, "needs root: as another user, programs run as the caller"))
    func `root learns which part of a place keeps its files from the program`() async throws {
        let made = "mkdir -p d/shared && chmod 2775 d/shared && chmod 755 d"
        #expect(try await Program.run("/bin/sh", ["-c", made], in: folder).status == 0)
        for mode in ["755", "777"] {
            #expect(try await Program.run("/bin/sh", ["-c", "chmod \(mode) d"], in: folder).status == 0)
            let failed = try await run(["--write", "d"], script: "echo x > d/shared/new")
            let part = folder.url.resolvingSymlinksInPath().appending(path: "d/shared").path
            #expect(failed.errors.contains("add --read \(part)"), "\(mode): \(failed.errors)")
        }
        let worked = try await run(["--write", "d", "--read", "d/shared"], script: "echo x > d/new")
        #expect(worked.status == 0, "\(worked.errors)")
    }

    @Test(.enabled(if: geteuid() == 0, "needs root, who can mount a file system without id maps"))
    func `root learns why its private file stays closed where no id map is possible`() async throws {
        let place = folder.url.path + "/ram"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        try #require(mount("annex-test", place, "ramfs", 0, nil) == 0)
        defer { umount2(place, Int32(MNT_DETACH)) }
        #expect(try await Program.run("/bin/sh", ["-c", "echo x > ram/f && chmod 600 ram/f"], in: folder).status == 0)
        let said = try await run(["--read", "ram"], script: "cat ram/f")
        #expect(said.errors.contains("ram/f (mode 600) must be readable for others"), "\(said.errors)")
        #expect(said.errors.contains("takes no id map"), "\(said.errors)")
    }

    @Test(arguments: [
        ("sh", "echo y >../zz; true", true), ("bash", "echo y >../zz; true", true),
        ("sh", "touch ../zz; mkdir ../zy; true", true), ("sh", "cat ../zz; ls ..; true", false),
        ("sh", "echo y >/proc/sys/x; true", false), ("sh", "mkdir /usr/x; true", false),
    ])
    func `after a success, a note names what could not be written and the option`(
        shell: String, script: String, isNoted: Bool
    ) async throws {
        let place = folder.url.resolvingSymlinksInPath().path
        try FileManager.default.createDirectory(atPath: place + "/w", withIntermediateDirectories: false)
        chmod(place + "/w", 0o777)
        func run(_ options: [String]) async throws -> Program {
            let words = ["run", "--directory", "w", "--write", "w"] + options + ["--", shell, "-c", script]
            return try await Program.annex(words, in: folder)
        }
        let ran = try await run([])
        let notes = ran.errors.split(separator: "\n").filter { $0.hasPrefix("annex:") }
        #expect(ran.status == 0 && notes.count == (isNoted ? 1 : 0), "\(ran.errors)")
        guard isNoted else { return }
        #expect(notes[0].hasPrefix("annex: note: \(place)/z") && notes[0].contains(" was not written: "), "\(notes)")
        #expect(notes[0].hasSuffix(": add --write ."), "\(notes)")
        let worked = try await run(["--write", "."])
        #expect(worked.status == 0 && worked.errors.isEmpty, "\(worked.errors)")
        #expect(access(place + "/zz", F_OK) == 0)
    }

    @Test(arguments: [
        "foo:bar/baz: Read-only file system",
        "warning: opening /proc/PID/mem file for lwp 29983.29983 failed: Read-only file system (30)",
        "[1:2:1130/125000.910747:ERROR:content/zygote_host.cc:312] Failed to move pid 42: Read-only file system (30)",
        "tool: cannot create nowhere/new: Read-only file system",
    ])
    func `a text that a program prints is no file that was not written`(text: String) async throws {
        let printed = try await run(["--read", "."], script: "echo '\(text)' >&2")
        #expect(printed.status == 0 && printed.errors == text + "\n", "\(printed.errors)")
    }

    @Test(arguments: ["cannot create new: Read-only file system", "Read-only file system: '\\''new'\\''"])
    func `a text about a file that could be written is explained after a success`(text: String) async throws {
        let printed = try await run(["--read", "."], script: "echo 'tool: \(text)' >&2")
        #expect(printed.errors.contains("/new was not written: "), "\(printed.errors)")
    }

    @Test func `a descriptor that the caller has open is handed over by an argument`() async throws {
        let annex = ExampleBundles.products.appending(path: "annex").path
        func run(_ redirection: String, _ arguments: String) async throws -> Program {
            let line = "\(redirection) \(annex) run -- sh -c 'echo seven >&7' \(arguments)"
            return try await Program.run("/bin/sh", ["-c", line], in: folder)
        }
        let failed = try await run("exec 7>x;", "")
        #expect(failed.status != 0 && failed.errors.contains("add the argument /dev/fd/7 (for"), "\(failed.errors)")
        let worked = try await run("exec 7>x;", "sh /dev/fd/7")
        #expect(worked.status == 0, "\(worked.errors)")
        #expect(try String(contentsOf: folder.url.appending(path: "x"), encoding: .utf8) == "seven\n")
        // Outside, this fails too.
        let missing = try await run("", "")
        #expect(missing.status != 0 && !missing.errors.contains("/dev/fd"), "\(missing.errors)")
    }

    /// Another path in the error is not the cause.
    @Test(
        .enabled(if: geteuid() == 0, "needs root: as another user, programs run as the caller"),
        arguments: [
            "echo '/usr/bin/ld: cannot open output file prog: Permission denied' >&2; exit 1",
            "echo 'tar: t: Cannot mkdir: Permission denied' >&2; exit 1", "cd sub && mkdir a",
        ])
    func `the owner of a place is the only hint about a missing right to write`(script: String) async throws {
        let sub = folder.url.path + "/sub"
        try FileManager.default.createDirectory(atPath: sub, withIntermediateDirectories: false)
        chmod(sub, 0o755)
        chown(sub, 4242, 4242)
        let failed = try await run(["--write", "sub"], script: script)
        let hints = failed.errors.split(separator: "\n").filter { $0.hasPrefix("annex: hint: ") }
        #expect(hints.count == 1 && hints[0].contains("sub (mode 755) belongs to uid 4242"), "\(failed.errors)")
    }

    @Test(arguments: [
        "mkdir x && chmod 2775 x", "touch y && chmod 4755 y", "chmod 4755 ./made",
        "perl -e 'chmod(02755, \"made\") or die $!'",
        "mkdir -m 2700 x", "perl -e 'mkdir(\"x\", 02700) or die $!'",
    ])
    func `S1: no hint offers a mode that no option gives`(script: String) async throws {
        for more in [[], ["--explain"]] {
            let failed = try await run(["--write", "."] + more, script: script)
            #expect(failed.status != 0)
            #expect(failed.errors.contains("no option gives set-user-ID or set-group-ID modes"), "\(failed.errors)")
            let lines = failed.errors.split(separator: "\n").filter { $0.contains("chmod") || $0.contains("mkdir") }
            #expect(!lines.contains { $0.contains("--allow") }, "\(failed.errors)")
            for name in ["x", "y"] { try? FileManager.default.removeItem(atPath: folder.url.path + "/" + name) }
        }
    }

    @Test func `the owner of a file in an archive is no missing path`() async throws {
        let script = "mkdir a && touch a/f && tar -cf t.tar --owner=1234 --group=1234 a && tar --same-owner -xf t.tar"
        for more in [[], ["--explain"]] {
            let failed = try await run(["--write", "."] + more, script: script)
            let last = failed.errors.split(separator: "\n").last.map(String.init) ?? ""
            #expect(failed.status != 0 && last.hasPrefix("annex: hint: "), "\(failed.errors)")
            #expect(last.contains("no option") && !last.contains("--read"), "\(failed.errors)")
            try FileManager.default.removeItem(at: folder.url.appending(path: "a"))
        }
    }

    @Test(.enabled(if: Program.isThere(tool: "man"), "man is not installed"))
    func `a search for words finds no relative name`() async throws {
        let word = folder.url.appending(path: "nosuchword")
        try Data().write(to: word)
        chmod(word.path, 0o644)
        for name in [".", "nosuchword"] {
            let line = ["run", "--", "sh", "-c", "echo \"$0: nothing appropriate.\" >&2; exit 16", name]
            let ran = try await Program.annex(line, in: folder)
            #expect(ran.status == 16 && !ran.errors.contains("annex:"), "\(ran.errors)")
        }
        let missing = try await Program.annex("run", "--", "man", "nosuchword", in: folder)
        #expect(missing.status != 0 && !missing.errors.contains("annex:"), "\(missing.errors)")
        guard access("/var/cache/man/index.db", R_OK) == 0 else { return print("man has no list of its pages") }
        let found = try await Program.annex("run", "--", "man", "-k", ".", in: folder)
        #expect(found.status == 0 && !found.output.isEmpty, "\(found.errors)")
    }

    /// The launch refuses these places, so no hint offers them.
    @Test func `DEPUTY-12: no hint offers the notes on project files`() async throws {
        let home = folder.url.resolvingSymlinksInPath().path
        let notes = home + "/.local/state/annex/run"
        try FileManager.default.createDirectory(atPath: notes, withIntermediateDirectories: true)
        for place in ["", "/.local", "/.local/state", "/.local/state/annex", "/.local/state/annex/run"] {
            chmod(home + place, 0o777)
        }
        try FileManager.default.createSymbolicLink(atPath: home + "/other", withDestinationPath: ".local")
        for options in [["--write", home + "/.local"], ["--read", home + "/.local"]] {
            for place in [notes, home + "/other/state/annex/run"] {
                let failed = try await Program.run(
                    "annex", ["run"] + options + ["--explain", "--", "sh", "-c", "echo x > \(place)/f"], in: folder,
                    environment: ["HOME": home, "XDG_STATE_HOME": ""])
                #expect(failed.status != 0 && !failed.errors.contains("--write"), "\(failed.errors)")
            }
        }
        let said = try await Program.run(
            "annex", ["run", "--write", home + "/.local", "--", "sh", "-c", "echo x > \(notes)/f"], in: folder,
            environment: ["HOME": home, "XDG_STATE_HOME": ""])
        #expect(said.errors.contains("no option hands it over: \(notes) lists the project files"), "\(said.errors)")
    }

    @Test func `a working directory that no option hands over is not offered`() async throws {
        let home = folder.url.resolvingSymlinksInPath().path
        try Data("x\n".utf8).write(to: folder.url.appending(path: "data"))
        let failed = try await Program.run(
            "annex", ["run", "--", "cat", "data"], in: folder, environment: ["HOME": home])
        #expect(
            failed.errors.contains("data was not handed over: add --read data or --write data\n"), "\(failed.errors)")
    }

    @Test(arguments: ["dd if=/dev/zero of=/dev/full count=1", "echo 'cat: write error: No space left on device' >&2"])
    func `a device that is always full does not blame the scratch directory`(script: String) async throws {
        let annex = ExampleBundles.products.appending(path: "annex").path
        let failed = try await Program.run(
            "/bin/sh", ["-c", "exec \"$0\" run -- sh -c \"$1; exit 1\" >/dev/full", annex, script], in: folder)
        #expect(failed.status != 0 && !failed.errors.contains("scratch"), "\(failed.errors)")
    }

    @Test func `a script that a shell only reads is offered for reading`() async throws {
        let script = folder.url.appending(path: "s.sh")
        try Data("#!/bin/sh\necho done\n".utf8).write(to: script)
        chmod(script.path, 0o755)
        let place = folder.url.resolvingSymlinksInPath().path + "/s.sh"
        let failed = try await run([], script: "echo 'sh: 0: cannot open \(place): No such file' >&2; exit 2")
        #expect(failed.errors.contains("\(place) was not handed over: add --read \(place);"), "\(failed.errors)")
        let worked = try await Program.annex(["run", "--read", "s.sh", "--", "sh", "s.sh"], in: folder)
        #expect(worked.output == "done\n", "\(worked.errors)")
    }

    @Test func `a directory that was not handed over is not said to be readable`() async throws {
        let failed = try await run([], script: "echo x > new")
        #expect(failed.errors.contains(" was not handed over: add --write .;"), "\(failed.errors)")
    }

    /// A file of the machine that lies below `/tmp`, where the sandbox has a directory of its own.
    @Test func `a file of the caller below the scratch directory is named`() async throws {
        let place = "/tmp/annex-hint-\(UUID().uuidString)"
        try Data("x\n".utf8).write(to: URL(filePath: place))
        defer { unlink(place) }
        chmod(place, 0o644)
        let failed = try await run([], script: "cat \(place)")
        #expect(failed.errors.contains("\(place) was not handed over: add --read \(place);"), "\(failed.errors)")
        let worked = try await run(["--read", place], script: "cat \(place)")
        #expect(worked.status == 0 && worked.output == "x\n", "\(worked.errors)")
    }

    @Test func `an error without a reason is examined too, through links`() async throws {
        let outside = try TemporaryFolder()
        chmod(outside.url.path, 0o755)
        try Data("x\n".utf8).write(to: outside.url.appending(path: "data"))
        try FileManager.default.createSymbolicLink(
            at: folder.url.appending(path: "link"), withDestinationURL: outside.url.appending(path: "data"))
        let real = outside.url.resolvingSymlinksInPath().path + "/data"
        let script = "cat link 2>/dev/null || { echo 'tool: \"link.\" can not be opened for reading.' >&2; exit 1; }"
        let named = script.replacing("link.", with: folder.url.path + "/link")
        let failed = try await run(["--read", "."], script: named)
        #expect(failed.errors.contains("was not handed over: add --read "), "\(failed.errors)")
        let explained = try await run(["--read", ".", "--explain"], script: "cat link")
        #expect(explained.errors.contains("allowed by: --read \(real)"), "\(explained.errors)")
        let worked = try await run(["--read", ".", "--read", real], script: "cat link")
        #expect(worked.status == 0, "\(worked.errors)")
    }

    @Test func `a path of the home directory outside the working directory brings HOME along`() async throws {
        let home = folder.url.resolvingSymlinksInPath().path
        try Data("[user]\n".utf8).write(to: folder.url.appending(path: ".toolrc"))
        try FileManager.default.createDirectory(atPath: home + "/project", withIntermediateDirectories: false)
        chmod(home + "/project", 0o755)
        for (options, expected) in [
            (["--read", ".toolrc"], home), (["--read", "made", "--directory", "."], "/tmp"),
            (["--read", "made", "--read", "project", "--directory", "project"], home),
            (["--read", "project", "--directory", "project"], "/tmp"),
        ] {
            let ran = try await Program.run(
                "annex", ["run"] + options + ["--", "sh", "-c", "echo $HOME"], in: folder, environment: ["HOME": home])
            #expect(ran.output == expected + "\n", "\(ran.errors)")
        }
        let own = try await Program.run(
            "annex", ["run", "--read", ".toolrc", "--env", "HOME=/nowhere", "--", "sh", "-c", "echo $HOME"], in: folder,
            environment: ["HOME": home])
        #expect(own.output == "/nowhere\n", "\(own.errors)")
    }

    @Test func `a directory that is missing in the home is to be made and handed over by itself`() async throws {
        // In a home below `/tmp`, the program could make the directory in its own `/tmp`.
        let home = "/var/tmp/annex-home-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: home + "/work", withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: home) }
        for place in [home, home + "/work"] { chmod(place, 0o755) }
        func run(_ options: [String], script: String) async throws -> Program {
            try await Program.run(
                "annex", ["run"] + options + ["--", "sh", "-c", script], in: folder, environment: ["HOME": home])
        }
        let missing = try await run(["--write", home + "/.tool"], script: "true")
        #expect(missing.status == 64, "\(missing.errors)")
        #expect(missing.errors.contains("--write \(home)/.tool: there is nothing at this path"), "\(missing.errors)")
        let script = "mkdir -p $HOME/.tool/state"
        let failed = try await run(["--read", home + "/work"], script: script)
        #expect(failed.errors.contains("(mkdir \(home)/.tool), and add --write \(home)/.tool;"), "\(failed.errors)")
        // A program chooses the names in its errors. It must not talk the user into handing over keys.
        let keys = try await run(["--read", home + "/work"], script: "mkdir $HOME/.ssh")
        #expect(!keys.errors.contains("--write"), "\(keys.errors)")
        #expect(keys.errors.contains(".ssh is for keys, and no hint offers it"), "\(keys.errors)")
        try FileManager.default.createDirectory(atPath: home + "/.tool", withIntermediateDirectories: false)
        chmod(home + "/.tool", 0o777)
        let worked = try await run(["--write", home + "/.tool"], script: script)
        #expect(worked.status == 0, "\(worked.errors)")
    }

    @Test func `a program lists the directories above what it got, and finds only that`() async throws {
        let home = folder.url.resolvingSymlinksInPath().path
        let above = (home as NSString).deletingLastPathComponent
        let ran = try await run(["--read", "made"], script: "ls -A \(above) && ls \(home) && ls / >/dev/null")
        let name = (home as NSString).lastPathComponent
        #expect(ran.status == 0 && ran.output == "\(name)\nmade\n", "\(ran.output)\(ran.errors)")
    }

    @Test func `a file gets no other owner, and the error is that of an ordinary user`() async throws {
        let ran = try await run(
            ["--write", "."], script: "touch new && chown 65534 new && chown 0 new; chgrp 0 new; cp -p made copied")
        let errors = ran.errors.split(separator: "\n").filter { $0.hasSuffix("Operation not permitted") }
        #expect(ran.status == 0 && errors.count == 2, "\(ran.errors)")
    }

    @Test(.enabled(if: WholeProc.isPossible, "a part of /proc is hidden here, so no sandbox may show all of it"))
    func `PROC-13: files of the kernel are read with an allowance, and written with none`() async throws {
        let failed = try await run([], script: "cat /proc/meminfo")
        #expect(failed.errors.contains("/proc/meminfo is a file of the kernel"), "\(failed.errors)")
        let script =
            "grep -q MemTotal /proc/meminfo && test -r /proc/self/status && ! echo x > /proc/sys/kernel/hostname"
        let worked = try await run(["--allow", "proc"], script: script + " && ! cat /proc/kcore")
        #expect(worked.status == 0, "\(worked.errors)")
        // The processes are still those of the sandbox alone.
        let processes = try await run(["--allow", "proc"], script: "ls -d /proc/[0-9]* | wc -l")
        #expect((Int(processes.output.filter(\.isNumber)) ?? 99) < 6, "\(processes.output)")
    }

    /// Programs such as agents end if they cannot forbid core files. So the call succeeds, but the limit does not
    /// change. Its value already keeps core files from the host.
    @Test func `a program may forbid core files, and the limit stays`() async throws {
        let ran = try await run([], script: "ulimit -c 0 && ulimit -c && exec 3</proc/self/limits && grep core <&3")
        #expect(ran.status == 0 && ran.output.contains(" 1 "), "\(ran.output) \(ran.errors)")
    }

    @Test func `DEPUTY-11: a printed path is examined, and no planted link is followed`() async throws {
        // A path that the program can use is no cause, whatever the program prints.
        let invented = try await run([], script: "echo 'cat: /usr/bin/env: Permission denied' >&2; exit 1")
        #expect(!invented.errors.contains("hint"), "\(invented.errors)")
        let planted = try await run(
            ["--write", "."], script: "ln -s /etc/shadow link; echo 'cat: link/.: Permission denied' >&2; exit 1")
        #expect(!planted.errors.contains("/etc/shadow was"), "\(planted.errors)")
        let escapes = try await run(
            [], script: "printf 'cat: /srv/\\033[2J\\033]0;x\\007: No such file or directory\\n' >&2; exit 1")
        let own = escapes.errors.split(separator: "\n").filter { $0.hasPrefix("annex:") }
        #expect(own.allSatisfy { !$0.contains("\u{1B}") }, "\(escapes.errors)")
    }

    @Test func `an unknown allowance, line or limit is an error that names the known ones`() async throws {
        for (option, value, text, status) in [
            ("--allow", "jitt", "did you mean `jit`?", 126),
            ("--allow-line", "nosuch", "unknown system call `nosuch`", 126),
            ("--limit", "memry=1G", "did you mean `memory`?", 64),
        ] as [(String, String, String, Int32)] {
            let ran = try await run([option, value], script: "true")
            #expect(ran.status == status && ran.errors.contains(text), "\(ran.errors)")
        }
    }

    #if arch(x86_64)
        /// A program whose only work is the call `getpid` of the 32-bit ABI.
        private static let oldProgram: [UInt8] = {
            func word(_ value: UInt64, _ bytes: Int) -> [UInt8] {
                (0..<bytes).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
            }
            let code: [UInt8] = [
                0xB8, 20, 0, 0, 0, 0xCD, 0x80,  // the call
                0x31, 0xFF, 0xB8, 231, 0, 0, 0, 0x0F, 0x05,  // exit_group(0)
            ]
            let start: UInt64 = 0x40_0000
            let size = UInt64(120 + code.count)
            let header =
                [0x7F, 0x45, 0x4C, 0x46, 2, 1, 1] + word(0, 9) + word(2, 2) + word(62, 2) + word(1, 4)
                + word(start + 120, 8) + word(64, 8) + word(0, 8) + word(0, 4) + word(64, 2) + word(56, 2) + word(1, 2)
                + word(0, 6)
            let segment =
                word(1, 4) + word(5, 4) + word(0, 8) + word(start, 8) + word(start, 8) + word(size, 8) + word(size, 8)
                + word(0x1000, 8)
            return header + segment + code
        }()

        @Test func `the hint names a call of a 32-bit program`() async throws {
            let file = folder.url.appending(path: "old")
            try Data(Self.oldProgram).write(to: file)
            chmod(file.path, 0o755)
            // A kernel without the 32-bit ABI ends the program by SIGSEGV.
            let hasABI = try await Program.run("/bin/sh", ["-c", "./old"], in: folder).status == 0
            let run = try await Program.annex(["run", "--execute", ".", "--", "./old"], in: folder)
            #expect(run.status == (hasABI ? 128 + SIGSYS : 128 + SIGSEGV), "\(run)")
            #expect(run.errors.contains("annex: hint: it probably made a system call of a 32-bit program") == hasABI)
            let strict = try await Program.annex(
                ["run", "--policy", "compute", "--execute", ".", "--", "./old"], in: folder)
            let ended = "annex: ended: deniedOperation: call of a foreign ABI"
            #expect(strict.errors.contains(ended) == hasABI, "\(strict)")
        }
    #endif
}
