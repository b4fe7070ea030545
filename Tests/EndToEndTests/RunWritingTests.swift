import AnnexTestSupport
import Foundation
import Testing

/// Failures at writing. The hint leads to the place that must be handed over for writing, and with it the same command
/// works.
@Suite(.timeLimit(.minutes(20))) struct RunWritingTests {
    private let folder: TemporaryFolder
    /// A home outside `/tmp`, where the sandbox has a directory of its own.
    private let home: String

    init() throws {
        folder = try TemporaryFolder()
        home = "/var/tmp/annex-writing-\(UUID().uuidString)"
        try make("project/data", "abc\n")
    }

    private func withHome<Result>(_ body: () async throws -> Result) async throws -> Result {
        defer { try? FileManager.default.removeItem(atPath: home) }
        return try await body()
    }

    private func make(_ name: String, _ text: String) throws {
        let file = URL(filePath: home + "/" + name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
        chmod(file.path, 0o666)
        chmod(file.deletingLastPathComponent().path, 0o777)
        chmod(home, 0o755)
    }

    private func outside(_ script: String) async throws {
        let made = try await Program.run(
            "/bin/sh", ["-c", "set -e; umask 0; cd '\(home)'; " + script], in: folder, environment: ["HOME": home])
        try #require(made.status == 0, "\(made.errors)")
    }

    private func inside(_ options: [String], _ script: String) async throws -> Program {
        try await Program.run(
            "annex", ["run", "--directory", home + "/project"] + options + ["--", "sh", "-c", script], in: folder,
            environment: ["HOME": home, "GIT_CONFIG_NOSYSTEM": "1"])
    }

    private static func hint(_ program: Program) -> String {
        program.errors.split(separator: "\n").last { $0.hasPrefix("annex: hint: ") }.map(String.init) ?? ""
    }

    /// The program, the command that the hint names, and the option.
    private static let beside: [(script: String, making: String, place: String)] = [
        ("mkdir -p ../new/deep && echo x > ../new/deep/f", "mkdir", "new"), ("cp -r . ../copy", "mkdir", "copy"),
        ("echo x > ../out.txt", "touch", "out.txt"), ("cp data ../other", "touch", "other"),
        ("install -D data ../.local/share/x/data", "mkdir", ".local"),
        ("test -d .git || git init -q .; git clone -q . ../clone", "mkdir", "clone"),
    ]

    @Test(arguments: beside.indices)
    func `what the program makes beside the project is to be made first, and then works`(index: Int) async throws {
        let (script, making, name) = Self.beside[index]
        if script.contains("git"), !Program.isThere(tool: "git") { return print("git is not installed") }
        try await withHome {
            let place = home + "/" + name
            let failed = try await inside(["--write", home + "/project"], script)
            #expect(failed.status != 0)
            let lead = "make it first (\(making) \(place)), and add --write \(place);"
            #expect(Self.hint(failed).contains(lead), "\(failed.errors)")
            try await outside("\(making) \(place)")
            let worked = try await inside(["--write", home + "/project", "--write", place], script)
            #expect(worked.status == 0, "\(worked.errors)")
        }
    }

    @Test(.enabled(if: Program.isThere(tool: "git"), "git is not installed"))
    func `a worktree beside the repository is to be made first, and then works`() async throws {
        try await withHome {
            try await outside(
                "cd project; git init -q .; git -c user.name=a -c user.email=a commit -q --allow-empty -m x; chmod -R a+rwX ."
            )
            let script = "git -c safe.directory='*' worktree add ../tree"
            let options = ["--write", home + "/project", "--allow", "git"]
            let failed = try await inside(options, script)
            let place = home + "/tree"
            #expect(
                Self.hint(failed).contains("make it first (mkdir \(place)), and add --write \(place);"),
                "\(failed.errors)")
            try await outside("mkdir tree; cd project; git worktree prune; git branch -q -D tree || true")
            let worked = try await inside(options + ["--write", place], script)
            #expect(worked.status == 0, "\(worked.errors)")
        }
    }

    @Test func `a directory that exists beside the project leads to its own option for writing, and no other`()
        async throws
    {
        try await withHome {
            for script in ["cp data ../there/", "install -D data ../there/deep/data", "mkdir ../there/more"] {
                try await outside("rm -rf there; mkdir there")
                let failed = try await inside(["--write", home + "/project"], script)
                #expect(
                    Self.hint(failed).contains("there was not handed over: add --write \(home)/there;"),
                    "\(failed.errors)")
                let worked = try await inside(["--write", home + "/project", "--write", home + "/there"], script)
                #expect(worked.status == 0, "\(worked.errors)")
            }
        }
    }

    private static let replacing: [(tool: String, script: String)] = [
        ("sed", "sed -i s/abc/def/ data"), ("mv", "echo x > data.new && mv data.new data"),
        ("mv", "echo x > /tmp/n && mv -f /tmp/n data"), ("perl", "perl -e 'rename(qq(data), qq(old)) or die $!'"),
        ("sqlite3", "sqlite3 base.db 'insert into t values (1)'"),
        ("perl", "perl -e 'open(F, qq(>), qq(data.lock)) or die qq(cannot lock data: $!)'"),
    ]

    @Test(arguments: replacing.indices)
    func `what a program makes beside its one file leads to the directory`(index: Int) async throws {
        let (tool, script) = Self.replacing[index]
        guard Program.isThere(tool: tool) else { return print("\(tool) is not installed") }
        try await withHome {
            if tool == "sqlite3" { try await outside("cd project; sqlite3 base.db 'create table t (a)'") }
            let directory = home + "/project"
            let file = directory + (tool == "sqlite3" ? "/base.db" : "/data")
            let failed = try await inside(["--write", file], script)
            #expect(failed.status != 0)
            #expect(
                Self.hint(failed).contains("use --write \(directory) instead of --write \(file);"), "\(failed.errors)")
            let worked = try await inside(["--write", directory], script)
            #expect(worked.status == 0, "\(worked.errors)")
        }
    }

    @Test func `a file that is a place of its own beside its directory is to be left out`() async throws {
        try await withHome {
            let (directory, file) = (home + "/project", home + "/project/data")
            let failed = try await inside(["--write", file, "--write", directory], "sed -i s/abc/def/ data")
            #expect(failed.status != 0)
            #expect(Self.hint(failed).contains("leave --write \(file) out"), "\(failed.errors)")
            #expect(try await inside(["--write", directory], "sed -i s/abc/def/ data").status == 0)
        }
    }

    @Test(arguments: ["rm -rf place", "rmdir place", "mv place other", "mv place/ ../other", "rm -r $PWD/place"])
    func `a place itself leads to the directory around it`(script: String) async throws {
        try await withHome {
            try await outside("mkdir project/place")
            let (whole, place) = (home + "/project", home + "/project/place")
            let failed = try await inside(["--write", place], script)
            let fault = "\(place) is handed over as a place of its own, which can be neither removed nor renamed: "
            #expect(failed.status != 0)
            #expect(
                Self.hint(failed).contains("\(fault)use --write \(whole) instead of --write \(place);"),
                "\(failed.errors)")
            let both = try await inside(["--write", whole, "--write", place], script)
            #expect(
                both.status != 0 && Self.hint(both).contains("\(fault)leave --write \(place) out"), "\(both.errors)")
            guard !script.contains("../other") else { return }
            let worked = try await inside(["--write", whole], script)
            #expect(worked.status == 0, "\(worked.errors)")
        }
    }

    @Test(.enabled(if: Program.isThere(tool: "git"), "git is not installed"))
    func `a directory that holds something protected leads to the groups of it`() async throws {
        try await withHome {
            try await outside("git init -q project; chmod -R a+rwX project")
            let options = ["--write", home + "/project"]
            let failed = try await inside(options, "mv .git .other")
            #expect(failed.status != 0)
            #expect(Self.hint(failed).contains("add --unprotect git;"), "\(failed.errors)")
            let worked = try await inside(options + ["--unprotect", "git"], "mv .git .other && test -f .other/config")
            #expect(worked.status == 0, "\(worked.errors)")
        }
    }

    @Test(.enabled(if: Program.isThere(tool: "sqlite3"), "sqlite3 is not installed"))
    func `a database with a journal of its own leads to writing also for a reader`() async throws {
        try await withHome {
            try await outside(
                """
                cd project; mkdir db; sqlite3 db/app.db 'pragma journal_mode=wal; create table t(a); insert into t values(7)' \
                    >/dev/null; chmod a+rw db/*
                """)
            let place = home + "/project/db"
            let script = "sqlite3 db/app.db 'select a from t'"
            let failed = try await inside(["--read", place], script)
            if failed.status == 0 { return print("this sqlite3 reads such a database without a file of its own") }
            #expect(Self.hint(failed).contains("use --write \(place) instead of --read \(place);"), "\(failed.errors)")
            let worked = try await inside(["--write", place], script)
            #expect(worked.status == 0 && worked.output == "7\n", "\(worked.errors)")
        }
    }

    @Test(.enabled(if: Program.isThere(tool: "git"), "git is not installed"))
    func `a repository at a path leads to writing, before and after an attempt`() async throws {
        try await withHome {
            try await outside(
                """
                git init -q --bare bare.git; cd project; git init -q -b main .
                git -c user.name=a -c user.email=a commit -q --allow-empty -m x; git remote add origin ../bare.git
                chmod -R a+rwX .. ; chmod 755 ..
                """)
            let script = "git -c safe.directory='*' push -q origin main:made"
            let (own, other) = (["--write", home + "/project"], home + "/bare.git")
            let settings = ["--env", "GIT_CONFIG_COUNT=1", "--env", "GIT_CONFIG_KEY_0=safe.directory"]
            let trusted = own + settings + ["--env", "GIT_CONFIG_VALUE_0=*"]
            let first = try await inside(trusted, script)
            #expect(
                Self.hint(first).contains("add --read \(other), or (to let the program change it) --write \(other);"),
                "\(first.errors)")
            let second = try await inside(trusted + ["--read", other], script)
            #expect(second.status != 0)
            #expect(Self.hint(second).contains("use --write \(other) instead of --read \(other);"), "\(second.errors)")
            let worked = try await inside(trusted + ["--write", other], script)
            #expect(worked.status == 0, "\(worked.errors)")
        }
    }

    @Test(arguments: [
        "--read", "--write", "--execute", "--write-execute", "--read-all-but", "--directory", "--private-directory",
    ])
    func `a path with nothing at it is a mistake of the command line, however it is spelled`(option: String)
        async throws
    {
        try await withHome {
            for path in ["missing", "../missing", "project/../missing", home + "/missing", "project/data/missing"] {
                let ran = try await Program.run("annex", ["run", option, path, "--", "true"], in: folder)
                #expect(ran.status == 64, "\(ran.errors)")
                #expect(ran.errors.contains("\(option) \(path): there is nothing at this path"), "\(ran.errors)")
                #expect(ran.errors.contains("make it first (mkdir -p \(path)"), "\(ran.errors)")
            }
        }
    }
}
