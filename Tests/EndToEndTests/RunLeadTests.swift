import AnnexTestSupport
import Foundation
import Testing

/// Failures whose first message once led nowhere. The program's error names no place; the caller's home, environment or
/// machine shows it. With the option of the hint, the same command works.
@Suite(.timeLimit(.minutes(20))) struct RunLeadTests {
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

    private func make(_ name: String, _ text: String, mode: mode_t = 0o644) throws {
        let file = URL(filePath: home + "/" + name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
        try FileManager.default.settle(file, mode: mode)
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

    @Test(.enabled(if: Program.isThere(tool: "git"), "git is not installed"))
    func `git that does not know its user is led to the settings of the home`() async throws {
        try await withHome {
            try make(".gitconfig", "[user]\n\tname = Ana\n\temail = ana@example.org\n")
            let script = "git init -q r && cd r && git commit -q --allow-empty -m x && git log --format=%an"
            let failed = try await run(["--write", "."], ["sh", "-c", script])
            #expect(Self.hint(failed).contains("add --allow git;"), "\(failed.errors)")
            try FileManager.default.removeItem(at: folder.url.appending(path: "r"))
            let options = ["--write", ".", "--allow", "git"]
            let worked = try await run(options, ["sh", "-c", script])
            #expect(worked.status == 0 && worked.output == "Ana\n", "\(worked.errors)")
            // The file is there now, so another failure is not blamed on it.
            let other = try await run(options, ["sh", "-c", "echo 'Author identity unknown' >&2; exit 1"])
            #expect(!Self.hint(other).contains("git"), "\(other.errors)")
            let named = try await run([], ["cat", home + "/.gitconfig"])
            #expect(Self.hint(named).contains(".gitconfig was not handed over: add --allow git;"), "\(named.errors)")
            let read = try await run(["--allow", "git"], ["cat", home + "/.gitconfig"])
            #expect(read.status == 0, "\(read.errors)")
            let locked = try await run(options, ["sh", "-c", "git config --global user.name Eva"])
            #expect(Self.hint(locked).contains("run this command without annex"), "\(locked.errors)")
        }
    }

    @Test(.enabled(if: Program.isThere(tool: "git"), "git is not installed"))
    func `a working tree is led to the repository that holds its data`() async throws {
        try await withHome {
            let script = """
                git init -q main && cd main && git -c user.name=a -c user.email=a commit -q --allow-empty -m x \
                && git worktree add -q ../wt && chmod -R a+rwX ..
                """
            let made = try await Program.run(
                "/bin/sh", ["-c", "cd '\(home)' && \(script)"], in: folder, environment: ["HOME": home])
            try #require(made.status == 0, "\(made.errors)")
            let options = ["--write", home + "/wt", "--directory", home + "/wt"]
            let failed = try await run(options, ["git", "status", "--short"])
            #expect(Self.hint(failed).contains("add --allow git;"), "\(failed.errors)")
            let program = ["git", "-c", "safe.directory=*", "status", "--short"]
            let worked = try await run(options + ["--allow", "git"], program)
            #expect(worked.status == 0, "\(worked.errors)")
        }
    }

    @Test(.enabled(if: Program.isThere(tool: "git"), "git is not installed"))
    func `a directory below a repository is led to the whole repository`() async throws {
        try await withHome {
            try make("main/sub/file", "x\n")
            let made = try await Program.run(
                "/bin/sh", ["-c", "cd '\(home)/main' && git init -q . && chmod -R a+rwX ."], in: folder,
                environment: ["HOME": home])
            try #require(made.status == 0, "\(made.errors)")
            let options = ["--directory", home + "/main/sub"]
            let program = ["git", "-c", "safe.directory=*", "status", "--short"]
            let failed = try await run(["--write", home + "/main/sub"] + options, program)
            #expect(Self.hint(failed).contains("add --write \(home)/main;"), "\(failed.errors)")
            let worked = try await run(["--write", home + "/main"] + options, program)
            #expect(worked.status == 0 && worked.output.contains("?? ./"), "\(worked.errors)")
        }
    }

    @Test func `a program of the caller that a shell does not find leads to its directory`() async throws {
        try await withHome {
            try make("tool/bin/annex-tool", "#!/bin/sh\necho found\n", mode: 0o755)
            let path = "\(home)/tool/bin:" + (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")
            for program in [["sh", "-c", "annex-tool"], ["env", "annex-tool"], ["bash", "-c", "annex-tool"]] {
                let failed = try await run([], program, environment: ["PATH": path])
                #expect(failed.status == 127, "\(failed.errors)")
                #expect(Self.hint(failed).contains("add --execute \(home)/tool;"), "\(failed.errors)")
                let worked = try await run(["--execute", home + "/tool"], program, environment: ["PATH": path])
                #expect(worked.status == 0 && worked.output == "found\n", "\(worked.errors)")
            }
            // A program that is nowhere has no option.
            let missing = try await run([], ["sh", "-c", "annex-nowhere"], environment: ["PATH": path])
            #expect(missing.status == 127 && Self.hint(missing).isEmpty, "\(missing.errors)")
        }
    }

    /// The directory above is the whole home, which no option hands over.
    @Test func `a program in the bin of the home leads to this bin, and reading it is not enough`() async throws {
        try await withHome {
            try make("bin/annex-tool", "#!/bin/sh\necho found\n", mode: 0o755)
            let path = ["PATH": "\(home)/bin:" + (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")]
            let program = ["sh", "-c", "annex-tool"]
            let failed = try await run([], program, environment: path)
            #expect(Self.hint(failed).contains("add --execute \(home)/bin;"), "\(failed.errors)")
            let read = try await run(["--read", home + "/bin"], program, environment: path)
            #expect(
                Self.hint(read).contains("use --execute \(home)/bin instead of --read \(home)/bin"), "\(read.errors)")
            let worked = try await run(["--execute", home + "/bin"], program, environment: path)
            #expect(worked.output == "found\n", "\(worked.errors)")
        }
    }

    @Test func `a path that was printed without an error leads to its option, and only if it helps`() async throws {
        try await withHome {
            try make("data", "x\n")
            let script = "test -e '\(home)/data' || { echo 'tool: bad database: \(home)/data' >&2; exit 3; }"
            let failed = try await run([], ["sh", "-c", script])
            #expect(Self.hint(failed).contains("\(home)/data was not handed over: add --read \(home)/data;"))
            let worked = try await run(["--read", home + "/data"], ["sh", "-c", script])
            #expect(worked.status == 0, "\(worked.errors)")
            // The program has the file, so the file is not named again.
            let again = try await run(
                ["--read", home + "/data"], ["sh", "-c", "echo 'tool: bad database: \(home)/data' >&2; exit 3"])
            #expect(!again.errors.contains("--read \(home)/data"), "\(again.errors)")
        }
    }

    @Test func `ten thousand printed paths, and one through a planted link, lead to no secret`() async throws {
        try await withHome {
            try make("secret", "x\n")
            let script = """
                ln -s '\(home)' link; i=0; while [ $i -lt 10000 ]; do echo "see $PWD/link/secret and /nowhere/$i"; \
                i=$((i+1)); done >&2; printf 'see /srv/\\033[2Jx\\n' >&2; exit 3
                """
            let failed = try await run(["--write", "."], ["sh", "-c", script])
            #expect(failed.status == 3 && !Self.hint(failed).contains("secret"), "\(Self.hint(failed))")
            let own = failed.errors.split(separator: "\n").filter { $0.hasPrefix("annex:") }
            #expect(own.allSatisfy { !$0.contains("\u{1B}") })
        }
    }

    @Test func `a link of the caller out of what was handed over leads to its target`() async throws {
        try await withHome {
            try make("far/data", "x\n")
            try make("near/other", "")
            try FileManager.default.createSymbolicLink(
                atPath: home + "/near/link", withDestinationPath: "../far/data")
            let options = ["--read", home + "/near", "--directory", home + "/near"]
            let failed = try await run(options, ["cat", "link"])
            #expect(Self.hint(failed).contains("add --read \(home)/far/data;"), "\(failed.errors)")
            let worked = try await run(options + ["--read", home + "/far/data"], ["cat", "link"])
            #expect(worked.output == "x\n", "\(worked.errors)")
        }
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/python3"), "python3 is not installed"))
    func `an error of a call without a record leads to the list, and the list to a line`() async throws {
        try await withHome {
            let program = ["/usr/bin/python3", "-c", "import os; os.memfd_create('a')"]
            let failed = try await run([], program)
            #expect(Self.hint(failed).contains("may have denied a call with ENOSYS"), "\(failed.errors)")
            #expect(Self.hint(failed).hasSuffix("add --explain"), "\(failed.errors)")
            let explained = try await run(["--explain"], program)
            #expect(explained.errors.contains("memfd_create"), "\(explained.errors)")
            #expect(!explained.errors.contains("may have denied"), "\(explained.errors)")
        }
    }

    private static let hopeless: [(name: String, script: String, hint: String)] = [
        ("unshare", "unshare -U true", "no option gives namespaces or mounts"),
        ("mount", "mount -t tmpfs none /mnt", "no option gives namespaces or mounts"),
        ("bwrap", "bwrap --unshare-all --ro-bind / / true", "cannot make a sandbox of its own"),
        ("su", "su -c true", "set-user-ID programs such as sudo, su and passwd"),
        ("passwd", "passwd", "set-user-ID programs such as sudo, su and passwd"),
        ("fallocate", "fallocate -l 1M f", "no option lets a program reserve space"),
        ("setpriv", "setpriv --reuid 1 --clear-groups id", "no option gives privileges or another user"),
        ("chattr", "touch f && chattr +i f", "no option gives privileges"),
        ("chown", "touch f && chown 0 f", "no option changes that"),
        ("script", "script -q -c true typescript", "no pseudo-terminals of its own"),
        ("tmux", "tmux new -d", "no pseudo-terminals of its own"),
        ("dmesg", "dmesg", "no option gives capabilities"),
        ("hostname", "hostname other", "no option gives capabilities"),
        ("mknod", "mknod device c 1 3", "no option gives devices"),
        ("sh", "ulimit -n 100000", "a program cannot raise its own limits"),
        ("systemctl", "systemctl status", "no option gives systemctl"),
    ]

    @Test(arguments: hopeless.indices) func `what no option gives is said, with no option`(index: Int) async throws {
        try await withHome {
            let one = Self.hopeless[index]
            guard Program.isThere(tool: one.name) else { return print("\(one.name) is not installed") }
            for more in [[], ["--allow", "proc"]] as [[String]] {
                let failed = try await run(["--write", "."] + more, ["sh", "-c", one.script])
                if failed.status == 126, !more.isEmpty { continue }
                #expect(failed.status != 0)
                let hint = Self.hint(failed).replacing("; to see every denied call and path, add --explain", with: "")
                #expect(hint.contains(one.hint) && !hint.contains("add --"), "\(failed.errors)")
                #expect(!hint.contains("--allow"), "\(failed.errors)")
            }
        }
    }

    @Test(.enabled(if: Program.isThere(tool: "ip"), "ip is not installed"))
    func `the network interfaces of this machine have one lead, and it works`() async throws {
        try await withHome {
            let line = "{ call: socket, when: { domain: AF_NETLINK } }"
            for (options, missing) in [([], "--allow network "), (["--allow", "network"], "")] as [([String], String)] {
                let failed = try await run(options, ["ip", "addr"])
                #expect(failed.status != 0)
                #expect(
                    Self.hint(failed).contains("this machine, add \(missing)--allow-line '\(line)';"),
                    "\(failed.errors)")
            }
            let worked = try await run(["--allow", "network", "--allow-line", line], ["ip", "addr"])
            #expect(worked.status == 0 && worked.output.contains("lo: "), "\(worked.errors)")
        }
    }

    @Test(arguments: ["unshare", "mount", "{ call: clone, when: { flags: { has: CLONE_NEWUSER } } }"])
    func `a line that would give namespaces is refused, as the guide says`(line: String) async throws {
        try await withHome {
            let refused = try await run(["--allow-line", line], ["true"])
            #expect(refused.status == 126, "\(refused.errors)")
            #expect(refused.errors.contains("no option gives namespaces or mounts"), "\(refused.errors)")
        }
    }

    @Test func `a child that ended at a 32-bit call gets the reason`() async throws {
        try await withHome {
            let failed = try await run([], ["sh", "-c", "sh -c 'kill -SYS $$'"])
            #expect(failed.status == 128 + SIGSYS, "\(failed.errors)")
            #expect(Self.hint(failed).contains("a system call of a 32-bit program"), "\(failed.errors)")
        }
    }

    @Test func `two directories between which nothing can be linked become one`() async throws {
        try await withHome {
            for name in ["both/a", "both/b"] {
                try make(name + "/keep", "")
                chmod(home + "/" + name, 0o777)
            }
            chmod(home + "/both", 0o777)
            let (one, other) = (home + "/both/a", home + "/both/b")
            let script = "echo x > '\(one)/f' && ln '\(one)/f' '\(other)/f'"
            let failed = try await run(["--write", one, "--write", other], ["sh", "-c", script])
            if failed.status == 0 { return print("this kernel or plan links between the two places") }
            #expect(Self.hint(failed).contains("use --write \(home)/both in place of both"), "\(failed.errors)")
            let worked = try await run(["--write", home + "/both"], ["sh", "-c", script])
            #expect(worked.status == 0, "\(worked.errors)")
        }
    }
}
