import AnnexTestSupport
import Foundation
import Testing

/// `annex run`, run as a user runs it.
@Suite(.timeLimit(.minutes(20))) struct RunTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func run(_ arguments: String...) async throws -> Program {
        try await Program.annex(["run"] + arguments, in: folder)
    }

    /// Runs a line in a shell, which sets up the streams. `annex` is the program.
    private func shell(_ line: String) async throws -> Program {
        let annex = ExampleBundles.products.appending(path: "annex").path
        return try await Program.run("/bin/sh", ["-c", line.replacing("annex run", with: "\(annex) run")], in: folder)
    }

    @Test(
        arguments: [("exit 0", 0), ("exit 7", 7), ("kill -SEGV $$", 139), ("kill -TERM $$", 143)] as [(String, Int32)])
    func `the exit status is that of the program`(script: String, status: Int32) async throws {
        #expect(try await run("--", "/bin/sh", "-c", script).status == status)
    }

    @Test func `an end by Annex has status 125 and its reason comes first`() async throws {
        let ended = try await run("--timeout", "0.3", "--", "sleep", "100")
        #expect(ended.status == 125)
        #expect(ended.errors.hasPrefix("annex: ended: timeLimit: "), "\(ended.errors)")
    }

    @Test func `without a time limit the program runs on and has no limit of its own`() async throws {
        let ended = try await run(
            "--timeout", "none", "--limit", "processor=none", "--", "sh", "-c", "sleep 0.2; echo done; ulimit -t")
        #expect(ended.output == "done\nunlimited\n", "\(ended.errors)")
    }

    @Test func `a program that is not started has status 126 and a missing one 127`() async throws {
        let refused = try await run("--allow-line", "nosuch", "--", "true")
        #expect(refused.status == 126 && refused.errors.contains("unknown system call `nosuch`"), "\(refused.errors)")
        #expect(try await run("--", "annex-no-such-program").status == 127)
    }

    @Test func `words after the program are never options`() async throws {
        #expect(try await run("--", "echo", "--timeout", "1", "--").output == "--timeout 1 --\n")
        #expect(try await run("echo", "--explain").output == "--explain\n")
        #expect(try await run("--no-such-option", "--", "true").status == 64)
    }

    @Test func `new files have the same modes as outside`() async throws {
        let said = try await shell("umask 022; annex run -- sh -c umask; umask 027; annex run -- sh -c umask")
        #expect(said.output == "0022\n0027\n", "\(said.errors)")
    }

    @Test func `programs that run at once are one user`() async throws {
        let line = """
            annex run -- sh -c 'cat /proc/self/uid_map; sleep 1' > one & \
            annex run -- sh -c 'cat /proc/self/uid_map; sleep 1' > other; wait; cat one; cmp one other && echo same
            """
        let said = try await shell(line)
        let own = geteuid() == 0 ? "65533" : "\(geteuid())"
        #expect(said.output.hasSuffix("same\n") && said.output.contains(own), "\(said.output)\(said.errors)")
    }

    /// In many containers, the first process reaps no orphans. Ten runs end by themselves, by a signal or by a limit.
    @Test func `no warden is left to the first process`() async throws {
        let products = ExampleBundles.products
        let namespaces = ["unshare", geteuid() == 0 ? "-pf" : "-Urpf", "--mount-proc", "--kill-child"]
        let first = [products.appending(path: "reports-its-world").path, "1", "first"]
        let line = """
            for i in 1 2; do "$0" run -- true; "$0" run -- sh -c 'kill -9 $$'; "$0" run --timeout 0.1 -- sleep 10; \
            "$0" run -- nosuch; timeout -s TERM 0.3 "$0" run -- sleep 10; done
            """
        let runs = ["/bin/sh", "-c", line, products.appending(path: "annex").path]
        let said = try await Program.tool(namespaces + first + runs)
        #expect(said.output == "left=0\nsaid=first\n", "\(said.output)\(said.errors)")
        #expect(said.errors.components(separatedBy: "ended: timeLimit").count == 3, "\(said.errors)")
    }

    /// The filter of the outer sandbox would end a program that tries the features of the machine.
    @Test(arguments: [["run", "--", "true"], ["doctor"], ["doctor", "--json"], ["attack"]])
    func `annex inside a sandbox says that it is inside a sandbox`(command: [String]) async throws {
        let annex = ExampleBundles.products.appending(path: "annex").path
        let said = try await Program.annex(["run", "--execute", annex, "--", annex] + command, in: folder)
        #expect(said.errors.contains("this process itself runs in a sandbox of Annex"), "\(said.errors)")
        #expect(said.status == ["run": 126, "doctor": 1, "attack": 2][command[0]], "\(said.errors)")
    }

    @Test func `an error about the working directory names its cause`() async throws {
        let removed = try await shell("mkdir d; cd d; rmdir ../d; annex run --read . -- true")
        #expect(removed.errors.contains("the working directory was removed"), "\(removed.errors)")
        let own = try await shell("mkdir -m 700 d; cd d; annex run --read . -- ls")
        #expect(own.status == 0, "\(own.errors)")
        let odd = try await shell(#"d=$(printf 'd\377'); mkdir "$d"; cd "$d"; cp /bin/true .; annex run -- ./true"#)
        #expect(odd.status == 126 && odd.errors.contains("the working directory is not UTF-8"), "\(odd.errors)")
        #expect(try await shell("mkdir f; cd f; rmdir ../f; annex run -- ./true").status == 127)
        // Only root can enter a directory of another user that is closed to others.
        guard geteuid() == 0 else { return }
        let foreign = try await shell("mkdir -m 700 e; chown 4242 e; cd e; annex run --read . -- ls")
        #expect(foreign.status == 126, "\(foreign.errors)")
        #expect(foreign.errors.contains("the sandbox runs as another user"), "\(foreign.errors)")
    }

    @Test func `an unknown policy is answered with the nearest name or with all names`() async throws {
        let near = try await run("--policy", "toool", "--", "true")
        #expect(near.errors.contains("unknown policy `toool`; did you mean `tool`?"), "\(near.errors)")
        let far = try await run("--policy", "nosuch", "--", "true")
        #expect(far.errors.contains("known are: base, compute, "), "\(far.errors)")
    }

    @Test func `a loop keeps its input`() async throws {
        let piped = try await shell("printf 'a\\nb\\nc\\n' | while read l; do annex run -- true; echo $l; done")
        #expect(piped.output == "a\nb\nc\n")
        let filed = try await shell("printf 'a\\nb\\nc\\n' > f; while read l; do annex run -- true; echo $l; done < f")
        #expect(filed.output == "a\nb\nc\n")
    }

    @Test func `streams of every kind carry every byte`() async throws {
        let line = """
            printf abc | annex run -- cat > out && cat out; annex run -- cat < out | cat; \
            (annex run -- sh -c 'echo 1; echo 2 >&2; echo 3') > both 2>&1; cat both; \
            (read l; annex run -- cat) < both
            """
        #expect(try await shell(line).output == "abcabc1\n2\n3\n2\n3\n")
    }

    @Test func `a flood of output arrives whole`() async throws {
        #expect(try await shell("annex run -- head -c 300000000 /dev/zero | wc -c").output == "300000000\n")
        #expect(try await shell("annex run -- head -c 30000000 /dev/zero > big; wc -c < big").output == "30000000\n")
    }

    @Test func `a reader that leaves ends the program`() async throws {
        #expect(try await shell("annex run -- yes | head -2").output == "y\ny\n")
    }

    @Test func `closed streams stay closed inside`() async throws {
        #expect(try await shell("annex run -- cat <&-; echo $?").output == "0\n")
        #expect(try await shell("annex run -- sh -c 'echo x || exit 5' >&-; echo $? ").output == "5\n")
        #expect(try await shell("annex run -- sh -c 'echo x || exit 5' > /dev/full; echo $?").output == "5\n")
    }

    @Test func `FD-06: the open file description of the caller stays unchanged`() async throws {
        let line = """
            printf abcdef > f; exec 3< f; annex run -- /usr/bin/perl -e 'sysseek(STDIN,4,0); use Fcntl; fcntl(STDIN,F_SETFL,O_NONBLOCK)' <&3; cat <&3
            """
        try #require(access("/usr/bin/perl", X_OK) == 0)
        #expect(try await shell(line).output == "abcdef")
    }

    @Test func `FD-06: a program cannot change or lock a file on its input`() async throws {
        let line = """
            printf hello > f; chmod 644 f; \
            annex run -- /usr/bin/python3 -c '
            import os, fcntl
            for change in (lambda: os.fchmod(0, 0o600), lambda: os.utime(0, (1, 1)), lambda: fcntl.flock(0, fcntl.LOCK_EX)):
                try: change()
                except OSError: pass
            print(os.read(0, 9).decode(), flush=True)
            os.kill(os.getpid(), 9)' < f; \
            stat -c '%a' f; test $(stat -c %Y f) -gt 1 && echo recent; \
            head -c 17000000 /dev/zero > large; annex run -- wc -c < large
            """
        #expect(try await shell(line).output == "hello\n644\nrecent\n17000000\n")
    }

    @Test func `FS-06: a link in the place of the report is not followed`() async throws {
        let line = """
            mkdir -m 777 w; echo mine > victim; \
            annex run --write w --report w/end.json -- sh -c 'ln -s ../victim w/end.json'; echo $?; \
            cat victim; test -f w/end.json && test ! -L w/end.json && grep -c '"reason"' w/end.json; \
            annex run --report no/such/folder/r -- true 2>/dev/null; echo $?
            """
        #expect(try await shell(line).output == "0\nmine\n1\n126\n")
    }

    @Test func `relative paths of files that are handed over are right`() async throws {
        let line = """
            mkdir in; mkdir -m 777 out; echo text > in/a; \
            annex run --read in --write out -- cp in/a out/b && cat out/b; \
            annex run --directory in -- true 2>&1 | grep -c 'does not exist in the sandbox'
            """
        #expect(try await shell(line).output == "text\n1\n")
    }

    /// If a program ends with its first call, this is an end and not a failed launch.
    @Test func `a program that is ended at once has its reason`() async throws {
        for _ in 0..<12 {
            let ended = try await run("--", "/usr/bin/unshare", "-U", "/bin/true")
            #expect(ended.status == 125 && ended.errors.hasPrefix("annex: ended: deniedOperation: "), "\(ended.errors)")
        }
    }

    @Test func `code in memory files is denied`() async throws {
        let line = """
            annex run -- /usr/bin/python3 -c '
            import os, socket
            try: os.memfd_create("x")
            except OSError as e: print(e.errno)
            try: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
            except OSError as e: print(e.errno)
            print(len(socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)))'
            """
        let ran = try await shell(line)
        #expect(ran.output == "38\n1\n2\n", "\(ran)")
    }

    @Test func `policies of the user count for annex run too`() async throws {
        let line = """
            mkdir own; printf 'policy: tool\\nsummary: Nothing to run.\\nincludes: [compute]\\n' > own/tool.yaml; \
            ANNEX_POLICIES=own annex run -- true 2>/dev/null; echo $?; annex run -- true; echo $?; \
            printf 'policy: mine\\nsummary: As tool.\\nincludes: [tool]\\n' > mine.yaml; mkfifo other.yaml; \
            annex run --policy ./mine.yaml -- echo mine
            """
        let output = try await shell(line).output.split(separator: "\n")
        #expect(output.count == 3 && output.first != "0" && output.dropFirst() == ["0", "mine"], "\(output)")
    }

    @Test func `homes and system folders are refused as private directories`() async throws {
        let line = """
            printf 'policy: keep\\nsummary: Keeps.\\nincludes: [tool]\\npaths: { private: { persistent: { size: 1M, inodes: 10, at: /keep } } }\\n' > keep.yaml; \
            ln -s /etc link; export HOME=$PWD/home; mkdir home; for place in / /etc /proc "$HOME" link; do \
            annex run --policy ./keep.yaml --private-directory "$place" -- true 2>&1 | grep -c "cannot be the private directory"; done; \
            mkdir -m 777 kept; annex run --policy ./keep.yaml --private-directory kept -- sh -c 'echo kept > /keep/a'; cat kept/a
            """
        #expect(try await shell(line).output == "1\n1\n1\n1\n1\nkept\n")
    }

    @Test func `signals are passed on to the program`() async throws {
        let line = """
            printf 'policy: slow\\nsummary: Slow.\\nincludes: [tool]\\nlimits: { grace: 3000s }\\n' > slow.yaml; mkdir -m 777 told; \
            annex run --policy ./slow.yaml --write told -- sh -c 'trap "exit 9" TERM; : > told/ready; while :; do sleep 0.05; done' & \
            until [ -e told/ready ]; do sleep 0.05; done; kill -TERM $!; wait $!; echo $?
            """
        let ran = try await shell(line)
        #expect(ran.output == "9\n", "\(ran.output)\(ran.errors)")
    }

    /// The signals are sent at once, many times. At that moment, annex may not know the process yet.
    @Test func `SIG-03: signals during the first call of a program are passed on`() async throws {
        let line = """
            printf 'policy: slow\\nsummary: Slow.\\nincludes: [tool]\\nlimits: { grace: 3000s }\\n' > slow.yaml; \
            mkdir -m 777 told; for turn in $(seq 60); do rm -f told/ready; \
            annex run --policy ./slow.yaml --write told -- sh -c 'trap "exit 9" TERM; : > told/ready; while :; do sleep 0.05; done' & \
            until [ -e told/ready ]; do :; done; kill -TERM $!; wait $!; echo $?; done | sort | uniq -c | tr -s ' '
            """
        #expect(try await shell(line).output == " 60 9\n")
    }

    @Test func `the report is written whole`() async throws {
        let ran = try await run("--report", "end.json", "--", "/bin/sh", "-c", "exit 3")
        #expect(ran.status == 3)
        let data = try Data(contentsOf: folder.url.appending(path: "end.json"))
        let report = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect(report["reason"] as? String == "exited" && report["exitCode"] as? Int == 3)
        #expect((report["layers"] as? [String])?.isEmpty == false && (report["steps"] as? [Any])?.isEmpty == false)
    }

    /// The path is absolute, relative, of a socket file, and of a file to execute.
    @Test(arguments: [
        (#"cat "$PWD/$F""#, "see"), (#"cat "$F""#, "see"), (#"test -e "$PWD/$F""#, "see"),
        (#""$PWD/$F""#, "execute"),
        (#"perl -MSocket -e 'socket(S,AF_UNIX,SOCK_STREAM,0); connect(S,sockaddr_un(shift))' "$PWD/$F""#, "connect to"),
    ])
    func `a denied path that is not UTF-8 is reported and shown`(script: String, want: String) async throws {
        let line = #"""
            F=$(printf 'a\377\\b'); printf '#!/bin/sh\n' > "$F"; chmod 755 "$F"; export F; \
            annex run --allow sockets --explain --env F --report r.json -- sh -c "$SCRIPT"
            """#
        let quoted = script.replacing("'", with: #"'\''"#)
        let ran = try await shell("SCRIPT='\(quoted)'; \(line)")
        let place = folder.url.resolvingSymlinksInPath().path
        #expect(ran.errors.contains(#"annex: \#(want) \#(place)/a\x{ff}\\b: denied by"#), "\(ran.errors)")
        let data = try Data(contentsOf: folder.url.appending(path: "r.json"))
        let report = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let denials = try #require(report["denials"] as? [[String: Any]])
        let denial = try #require(denials.first { ($0["path"] as? String)?.hasSuffix(#"/a\x{ff}\\b"#) == true })
        #expect(denial["isEscaped"] as? Bool == true && denial["option"] == nil, "\(denial)")
    }

    @Test func `denied paths that are equal by Unicode are two denials`() async throws {
        let line = #"""
            A=$(printf 'caf\303\251'); B=$(printf 'cafe\314\201'); echo > "$A"; echo > "$B"; \
            annex run --explain -- cat "$PWD/$A" "$PWD/$B"
            """#
        let ran = try await shell(line)
        let lines = ran.errors.split(separator: "\n").filter { $0.contains(": denied by") && $0.contains("/caf") }
        #expect(lines.count == 2, "\(ran.errors)")
    }

    @Test func `a hint names a path that is not UTF-8 in an escaped form`() async throws {
        let ran = try await shell(
            #"F=$(printf 'a\377b'); echo x > "$F"; annex run -- sh -c '. "$0"; exit 1' "$PWD/$F""#)
        #expect(ran.errors.contains(#"/a\x{ff}b was not handed over, and no option hands it over"#), "\(ran.errors)")
        let noted = try await shell(
            #"F=$(printf 'h\377'); echo > "$F"; chmod 755 "$F"; annex run --read . -- sh -c 'test -x "$0"; exit 0' "$F""#
        )
        #expect(noted.errors.contains(#"/h\x{ff} may not be executed"#), "\(noted.errors)")
    }

    @Test(arguments: ["644", "654", "645", "744", "755", "611"])
    func `a script is executed if the kernel would execute it for the caller`(mode: String) async throws {
        let line = #"""
            printf '#!/bin/sh\necho ran\n' > s; chmod MODE s; ./s 2>&- ; echo $?; annex run -- ./s; echo $?
            """#
        let said = try await shell(line.replacing("MODE", with: mode))
        let lines = said.output.split(separator: "\n").map(String.init)
        #expect(lines.prefix(lines.count / 2) == lines.suffix(lines.count / 2), "\(said)")
        guard mode == "644" else { return }
        #expect(said.output == "126\n126\n", "\(said)")
        let place = folder.url.resolvingSymlinksInPath().path
        #expect(said.errors.contains("chmod +x \(place)/s"), "\(said.errors)")
        let named = try await shell("annex run --read \(place)/s -- /bin/sh \(place)/s")
        #expect(said.errors.contains("annex run --read \(place)/s -- /bin/sh \(place)/s") && named.output == "ran\n")
    }

    @Test func `a script that is an interpreter needs a bit for execution too`() async throws {
        let line = #"""
            printf '#!/bin/sh\necho ran\n' > i; printf "#!$PWD/i\n" > s; chmod 644 i; chmod 755 s; \
            annex run --execute . -- ./s; echo $?; chmod 755 i; annex run --execute . -- ./s; cp /bin/true t; \
            chmod 644 t; annex run -- ./t; echo $?
            """#
        let said = try await shell(line)
        #expect(said.output == "126\nran\n126\n", "\(said)")
        #expect(said.errors.components(separatedBy: "chmod +x").count == 3, "\(said.errors)")
    }

    @Test(arguments: [
        ("#!/nope/sh", "its interpreter /nope/sh does not exist"), ("#!./own", "write the interpreter"),
        (#"#!\377"#, "write the interpreter"),
    ])
    func `a script without a usable interpreter is answered with a remedy`(first: String, words: String) async throws {
        let said = try await shell("printf '\(first)\\n' > s; chmod 755 s; annex run -- ./s; echo $?")
        #expect(said.output == "126\n" && said.errors.contains(words), "\(said)")
    }

    @Test func `a script that is not granted its interpreter names the option`() async throws {
        let line = #"""
            cp /bin/sh own; printf "#!$PWD/own\necho ran\n" > s; chmod 755 s own; annex run -- ./s; \
            annex run --execute own -- ./s
            """#
        let said = try await shell(line)
        let place = folder.url.resolvingSymlinksInPath().path
        #expect(said.output == "ran\n" && said.errors.contains("add --execute \(place)/own"), "\(said)")
    }

    @Test(.enabled(if: geteuid() != 0, "needs an ordinary user: root reads every file"))
    func `a program that cannot be read is answered with a remedy`() async throws {
        let said = try await shell("cp /bin/true t; chmod 111 t; annex run -- ./t; echo $?")
        #expect(said.output == "126\n" && said.errors.contains("make it readable"), "\(said)")
    }

    @Test func `the names in a report are true names`() async throws {
        let name = "a\u{1B}\u{202E}gpj"
        try Data("x".utf8).write(to: folder.url.appending(path: name))
        let path = folder.url.resolvingSymlinksInPath().path + "/" + name
        _ = try await run("--explain", "--report", "r.json", "--", "cat", path)
        let data = try Data(contentsOf: folder.url.appending(path: "r.json"))
        #expect(data.allSatisfy { (0x20..<0x7F).contains($0) || $0 == 0x0A })
        let report = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let denial = try #require((report["denials"] as? [[String: Any]])?.first { $0["path"] as? String == path })
        #expect(denial["isEscaped"] == nil, "\(denial)")
    }

    @Test func `a denied path is explained with its remedy`() async throws {
        // For the program, the path looks like a path that does not exist. So no call was denied, and the hint comes from
        // the error that the program printed.
        let quiet = try await run("--", "cat", "/etc/shadow")
        #expect(quiet.status == 1, "\(quiet.errors)")
        #expect(
            quiet.errors.contains(
                "annex: hint: /etc/shadow was not handed over: add --read /etc/shadow (this hands over credentials: "),
            "\(quiet)")
        let explained = try await run("--explain", "--", "cat", "/etc/shadow")
        #expect(explained.errors.contains("--read /etc/shadow"), "\(explained.errors)")
    }

    @Test(
        arguments: [
            ("echo a | annex run -- grep b", 1), ("annex run -- false", 1), ("annex run -- timeout 0.1 sleep 9", 124),
            ("annex run -- sh -c 'kill -INT $$'", 130), ("annex run -- sh -c 'kill -PIPE $$'", 141),
            ("annex run -- sh -c 'ulimit -c 0; exit 3' 2> /dev/null", 3),
            ("annex run --explain -- sh -c 'exit 3'", 3),
        ] as [(String, Int32)])
    func `a program that fails by itself gets no hint`(line: String, status: Int32) async throws {
        let ran = try await shell(line)
        #expect(ran.status == status && !ran.errors.contains("annex:"), "\(ran.errors)")
    }

    @Test func `a relative name that was not handed over is told, with what hands it over`() async throws {
        let named = folder.url.appending(path: "a.c")
        try Data("text\n".utf8).write(to: named)
        chmod(folder.url.path, 0o755)
        chmod(named.path, 0o644)
        let missing = try await run("--", "cat", "a.c")
        #expect(
            missing.errors.hasSuffix(
                "annex: hint: a.c was not handed over: add --read . or --write ., which hands over the working directory\n"
            ),
            "\(missing)")
        let elsewhere = try TemporaryFolder()
        chmod(elsewhere.url.path, 0o755)
        let relative = ["--", "cat", "../\(folder.url.lastPathComponent)/a.c"]
        let outside = try await Program.annex(["run"] + relative, in: elsewhere)
        let word = "../\(folder.url.lastPathComponent)/a.c"
        #expect(
            outside.errors.contains("\(word) was not handed over: add --read \(word) or --write \(word)"), "\(outside)")
        // The working directory has its own path in the sandbox, so the relative name leads to the same file.
        #expect(try await Program.annex(["run", "--read", named.path] + relative, in: elsewhere).output == "text\n")
        // What the hints say works, and then there is no hint.
        for grant in [".", "a.c"] { #expect(try await run("--read", grant, "--", "cat", "a.c").output == "text\n") }
        #expect(try await run("--read", "a.c", "--", "cat", realName(of: named)).output == "text\n")
        for words in [["--read", ".", "--", "cat", "b.c"], ["--", "false", "-a.c"], ["--", "sh", "-c", "exit 1"]] {
            #expect(try await Program.annex(["run"] + words, in: folder).errors.contains("hint") == false, "\(words)")
        }
    }

    @Test func `a program cannot plant the link that a hint would follow`() async throws {
        let mine = folder.url.appending(path: "mine")
        try FileManager.default.createDirectory(at: mine, withIntermediateDirectories: false)
        chmod(folder.url.path, 0o755)
        chmod(mine.path, 0o777)
        let line = "ln -s /etc/passwd mine/new; exit 1"
        let ran = try await run("--write", "mine", "--", "sh", "-c", line, "mine/new")
        #expect(ran.status == 1 && !ran.errors.contains("hint"), "\(ran)")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: mine.path + "/new") == "/etc/passwd")
    }

    private func realName(of file: URL) throws -> String {
        let name = try #require(realpath(file.path, nil))
        defer { free(name) }
        return String(cString: name)
    }

    @Test func `the hint names the denied call behind a failure`() async throws {
        let line = """
            annex run -- /usr/bin/python3 -c '
            import resource, socket
            for step in (lambda: socket.socket(proto=6), lambda: resource.prlimit(1, resource.RLIMIT_CPU, (9, 9))):
                try: step()
                except OSError: pass
            raise SystemExit(5)'
            """
        try #require(access("/usr/bin/python3", X_OK) == 0)
        let ran = try await shell(line)
        #expect(ran.status == 5)
        #expect(ran.errors.hasPrefix("annex: hint: socket(AF_INET, SOCK_STREAM|SOCK_CLOEXEC, 6)"), "\(ran.errors)")
        #expect(ran.errors.contains("--explain"))
    }

    @Test func `a socket that a program opened on trial is no cause, unless the program blames the network`()
        async throws
    {
        try #require(access("/usr/bin/python3", X_OK) == 0)
        for (text, isCause) in [("", false), ("no such customer", false), ("cannot fetch the list", true)] {
            let line = """
                annex run -- /usr/bin/python3 -c '
                import socket, sys
                try: socket.socket(socket.AF_INET6)
                except OSError: pass
                sys.stderr.write("\(text)")
                raise SystemExit(4)'
                """
            let ran = try await shell(line)
            #expect(ran.status == 4)
            #expect(ran.errors.contains("annex: hint: socket(AF_INET6") == isCause, "\(ran.errors)")
        }
    }

    @Test(arguments: ["--read", "--write", "--directory"])
    func `an empty path is not taken for the working directory`(option: String) async throws {
        let ran = try await run(option, "", "--", "ls")
        #expect(ran.status == 126 && ran.errors.contains("a path is empty"), "\(ran)")
        #expect(ran.errors.contains("`.` is the working directory"), "\(ran.errors)")
    }

    /// This test also runs as root. All programs of `annex run` have the same user, and the kernel counts descriptors in flight for that
    /// user.
    @Test func `FD-03: a program that shares its user leaves the others descriptors to send`() async throws {
        let ran = try await shell("annex run -- sh -c 'ulimit -n; ulimit -Hn'")
        #expect(ran.output == "768\n768\n", "\(ran)")
    }

    @Test func `TTY-04: a program has a terminal of its own and the outer one comes back`() async throws {
        // script(1) simulates the terminal. It records everything that a user would see.
        try #require(access("/usr/bin/script", X_OK) == 0)
        let line = """
            script -qec 'stty -a > before; annex run -- sh -c "test -t 0 && test -t 1 && stty size && : < /dev/tty && echo own"; \
            stty -a > after' /dev/null < /dev/null; cmp before after && echo same
            """
        let ran = try await shell(line)
        #expect(ran.output.contains("own") && ran.output.contains("same"), "\(ran.output) \(ran.errors)")
    }
}
