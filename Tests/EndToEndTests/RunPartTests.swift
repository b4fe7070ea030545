import AnnexTestSupport
import Foundation
import Testing

/// Hidden and protected parts, as a user of `annex run` meets them.
@Suite(.timeLimit(.minutes(20))) struct RunPartTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        chmod(folder.url.path, 0o777)
        try make(".env", "secret\n")
        try make(".git/config", "before\n")
        try make("open", "open\n")
    }

    private var place: String { folder.url.resolvingSymlinksInPath().path }

    private func make(_ path: String, _ text: String) throws {
        let file = folder.url.appending(path: path)
        let directory = file.deletingLastPathComponent()
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        chmod(directory.path, 0o777)
        try Data(text.utf8).write(to: file)
        chmod(file.path, 0o666)
    }

    private func run(_ options: String..., script: String) async throws -> Program {
        try await Program.annex(["run"] + options + ["--", "sh", "-c", script], in: folder)
    }

    @Test func `a hidden file is refused aloud, and the hint says that it is hidden`() async throws {
        let ran = try await run("--write", ".", "--hide", ".env", script: "cat open .env")
        #expect(ran.status == 1 && ran.output == "open\n")
        #expect(ran.errors.contains("annex: hint: \(place)/.env is hidden from the program"), "\(ran.errors)")
    }

    @Test func `a pattern that matches nothing is noted before the program starts`() async throws {
        let ran = try await run("--read", ".", "--hide", "*.pme", script: "cat .env")
        #expect(ran.status == 0 && ran.output == "secret\n")
        #expect(ran.errors.contains("annex: note: --hide *.pme matches nothing now\n"), "\(ran.errors)")
    }

    @Test(arguments: ["echo after > .git/config", "mv open .git/config", "cat .env"])
    func `a program that goes on after such a refusal has a note about it`(refused: String) async throws {
        let ran = try await run("--write", ".", "--hide", ".env", script: "\(refused); exit 0")
        let wanted = refused == "cat .env" ? ".env is hidden from the program" : ".git/config is protected"
        #expect(ran.status == 0 && ran.errors.contains("annex: note: \(place)/\(wanted)"), "\(ran.errors)")
        #expect(ran.errors.contains("--unprotect git") == (refused != "cat .env"), "\(ran.errors)")
        let quiet = try await run("--write", ".", "--hide", ".env", script: "cat .git/config")
        #expect(quiet.status == 0 && !quiet.errors.contains("annex: note"), "\(quiet.errors)")
    }

    @Test func `a change of a protected file is refused, and the hint names the group`() async throws {
        let ran = try await run("--write", ".", script: "echo after > .git/config")
        #expect(ran.status != 0)
        #expect(ran.errors.contains("add --unprotect git"), "\(ran.errors)")
        #expect(try String(contentsOfFile: place + "/.git/config", encoding: .utf8) == "before\n")
        let given = try await run("--write", ".", "--unprotect", "git", script: "echo after > .git/config")
        #expect(given.status == 0, "\(given.errors)")
        #expect(try String(contentsOfFile: place + "/.git/config", encoding: .utf8) == "after\n")
    }

    @Test(.enabled(if: Program.isThere(tool: "git"), "git is not installed"))
    func `git says why it cannot change its configuration, and the hint names the group`() async throws {
        try Data("[a]\n".utf8).write(to: folder.url.appending(path: ".git/config"))
        for directory in ["objects", "refs"] { try make(".git/\(directory)/x", "") }
        try make(".git/HEAD", "ref: refs/heads/main\n")
        let ran = try await run("--write", ".", script: "git -c safe.directory=* config a.b c")
        #expect(ran.status != 0 && ran.errors.contains("add --unprotect git"), "\(ran.errors)")
    }

    /// The repository is a mount of its own, because git's configuration in it is protected.
    @Test(arguments: ["mv repo old", "ln repo/a b", "ln -f repo/a repo/.git/x"])
    func `what cannot be moved because something in it is protected is explained`(script: String) async throws {
        try make("repo/.git/config", "before\n")
        try make("repo/a", "a\n")
        let ran = try await run("--write", ".", script: script)
        #expect(ran.status != 0 && ran.errors.contains("add --unprotect git"), "\(ran.errors)")
        #expect(try await run("--write", ".", "--unprotect", "git", script: script).status == 0)
    }

    @Test func `a protected file that the run made is named at the end`() async throws {
        let ran = try await run("--write", ".", script: "echo x > .envrc")
        #expect(ran.status == 0)
        #expect(
            ran.errors == "annex: note: this run made \(place)/.envrc, which is protected from the next run on: "
                + "look at it before you use the directory\n")
        let quiet = try await run("--write", ".", script: "true")
        #expect(quiet.errors.isEmpty, "\(quiet.errors)")
    }

    /// A program could hide what it made from the note, and leave it for the person who opens the directory later.
    @Test(arguments: [
        ("mkdir -p new/.git/hooks; i=0; while [ $i -lt 4200 ]; do mkdir d$i; i=$((i+1)); done", "could not list PLACE"),
        (
            "mkdir -p .git/modules; cd .git/modules; i=0; while [ $i -lt 4200 ]; do : > $i; i=$((i+1)); done",
            "could not list PLACE/.git/modules"
        ),
        (
            "mkdir -p .git/modules; cd .git/modules; s=$(seq -f n%g 110); for i in $(seq 170); do mkdir m$i; cd m$i; "
                + "mkdir $s; cd ..; done", "could not list PLACE/.git/modules"
        ),
        ("mkdir -p \"$(printf 's\\377')/.git/hooks\"", "could not list PLACE"),
        ("mkdir -p \".git/modules/$(printf 's\\377')/hooks\"", "could not list PLACE/.git/modules"),
        (
            "mkdir -p m/s/hooks; ln -s ../m .git/modules",
            "this run made PLACE/.git/modules/*/hooks, PLACE/.git/modules/*/config"
        ),
        ("mkdir -p m/s/hooks .git/modules; ln -s ../../m/s .git/modules/s", "this run made PLACE/.git/modules/s/hooks"),
    ])
    func `a run that fills a directory, or makes a link in a repository, is found out`(
        script: String, words: String
    ) async throws {
        let ran = try await run("--write", ".", script: script)
        let wanted = words.replacingOccurrences(of: "PLACE", with: place)
        #expect(ran.status == 0 && ran.errors.contains(wanted), "\(ran.errors)")
        // On a busy machine, the search of many entries takes long.
        let next = try await run("--write", ".", "--limit", "launch=600s", script: "true")
        if words.contains("made") {
            #expect(next.status == 126 && next.errors.contains("is a link"), "\(next.errors)")
        } else {
            #expect(next.status == 0 && next.errors.contains("nothing is looked for"), "\(next.errors)")
            #expect(!next.errors.contains("after this run"), "\(next.errors)")
        }
    }

    @Test(arguments: [
        ("mkdir objects refs; echo x > HEAD; echo x > config", "this run made PLACE/config"),
        ("mkdir objects refs; ln -s open HEAD; mkdir hooks", "this run made PLACE/hooks"),
        ("cd empty; rmdir .git; echo x > .git", "this run made PLACE/empty/.git"),
        (
            "mkdir -p d/objects d/refs; echo x > HEAD; echo d > commondir; echo x > d/config",
            "this run made PLACE/commondir"
        ),
    ])
    func `a repository without a working tree, and a file in place of an empty directory, are found out`(
        script: String, words: String
    ) async throws {
        try FileManager.default.createDirectory(
            atPath: place + "/empty/.git", withIntermediateDirectories: true)
        for path in ["/empty", "/empty/.git"] { chmod(place + path, 0o777) }
        let ran = try await run("--write", ".", script: script)
        let wanted = words.replacingOccurrences(of: "PLACE", with: place)
        #expect(ran.status == 0 && ran.errors.contains(wanted), "\(ran.errors)")
    }

    @Test func `git is not led to another directory by a file of an earlier run`() async throws {
        try make("HEAD", "x")
        try make("commondir", "d")
        let refused = try await run("--write", ".", script: "true")
        #expect(refused.status == 126 && refused.errors.contains("/commondir leads git to hooks"), "\(refused.errors)")
        #expect(try await run("--write", ".", "--unprotect", "git", script: "true").status == 0)
    }

    /// For the kernel, these are two names. Texts of them are equal.
    @Test func `a name in another Unicode form hides nothing`() async throws {
        let (composed, apart) = ("caf\u{e9}", "cafe\u{301}")
        try make("\(composed)/.git/config", "")
        let made = try await run("--write", ".", script: "mkdir -p '\(apart)/.git/hooks'")
        #expect(made.errors.contains("this run made \(place)/\(apart)/.git/hooks"), "\(made.errors)")
        for path in ["\(composed)/x", "\(apart)/y"] { try make(".git/modules/\(path)/config", "before\n") }
        let script = "for file in .git/modules/*/*/config; do echo evil > $file; done; cat .git/modules/*/*/config"
        #expect(try await run("--write", ".", script: script).output == "before\nbefore\n")
    }

    @Test func `a name that cannot be read does not excuse a full directory`() async throws {
        let name = (Array((place + "/caf").utf8) + [0xE9, 0]).map(CChar.init(bitPattern:))
        try #require(mkdir(name, 0o777) == 0)
        let script = "mkdir -p new/.git/hooks; for i in $(seq 4200); do : > f$i; done"
        let ran = try await run("--write", ".", script: script)
        #expect(ran.errors.contains("after this run, Annex could not list \(place)"), "\(ran.errors)")
    }

    @Test func `a link to a file of git is no obstacle`() async throws {
        try make(".git/modules/one/refs/heads/feature", "x")
        symlink("refs/heads/feature", place + "/.git/modules/one/HEAD")
        let ran = try await run("--write", ".", script: "true")
        #expect(ran.status == 0 && ran.errors.isEmpty, "\(ran.errors)")
    }

    @Test(arguments: [
        ".git/modules/third/foo/hooks/x", ".git/modules/foo/modules/bar/config", ".git/worktrees/w/modules/bar/config",
        "app/.git/modules/one/config", "app/.husky/pre-commit",
    ])
    func `a submodule with a path for its name is protected`(path: String) async throws {
        try make(path, "before\n")
        let ran = try await run("--write", ".", script: "echo evil > \(path)")
        #expect(ran.status != 0 && ran.errors.contains("--unprotect git"), "\(ran.errors)")
    }

    @Test func `a link to a directory is no obstacle outside of repositories`() async throws {
        try make("out/.git/hooks/x", "")
        let ran = try await run("--write", ".", script: "ln -s out current")
        #expect(ran.status == 0 && ran.errors.isEmpty, "\(ran.errors)")
        #expect(try await run("--write", ".", script: "true").status == 0)
    }

    @Test(.enabled(if: getuid() == 0, "needs root, who alone may mount here"))
    func `credentials are hidden wherever a mount shows them`() async throws {
        try make("home/.netrc", "secret\n")
        try make("home/plain", "plain\n")
        try FileManager.default.createDirectory(atPath: place + "/other", withIntermediateDirectories: false)
        try #require(mount(place + "/home", place + "/other", nil, UInt(MS_BIND), nil) == 0)
        defer { umount2(place + "/other", Int32(MNT_DETACH)) }
        try make("alone/file", "")
        try #require(mount(place + "/home/.netrc", place + "/alone/file", nil, UInt(MS_BIND), nil) == 0)
        defer { umount2(place + "/alone/file", Int32(MNT_DETACH)) }
        let script = "cat other/.netrc other/plain alone/file"
        let arguments = ["run", "--read-all-but", "other", "--read-all-but", "alone", "--", "sh", "-c", script]
        let ran = try await Program.run("annex", arguments, in: folder, environment: ["HOME": place + "/home"])
        #expect(ran.output == "plain\n", "\(ran.output)\(ran.errors)")
    }

    @Test(.enabled(if: geteuid() != 0, "needs an ordinary user: root enters every directory"))
    func `a repository in a directory that the run closed counts as made`() async throws {
        let ran = try await run("--write", ".", script: "mkdir -p new/.git/hooks; chmod 0 new")
        defer { chmod(place + "/new", 0o700) }
        #expect(ran.errors.contains("this run made \(place)/new/.git/hooks"), "\(ran.errors)")
        let next = try await run("--write", ".", script: "true")
        #expect(next.status == 126 && next.errors.contains("chmod u+rwx"), "\(next.errors)")
    }

    @Test func `a wrong pattern or group is a mistake of the command line`() async throws {
        let pattern = try await run("--hide", "../x", script: "true")
        #expect(pattern.status == 64 && pattern.errors.contains("no `.` and no `..`"), "\(pattern.errors)")
        let group = try await run("--unprotect", "gti", script: "true")
        #expect(group.status == 64 && group.errors.contains("is not a group: git, annex"), "\(group.errors)")
    }

    @Test func `the report lists what was hidden and protected`() async throws {
        _ = try await run("--write", ".", "--hide", ".env", "--report", "end.json", script: "true")
        let text = try String(contentsOfFile: place + "/end.json", encoding: .utf8)
        #expect(text.contains("hiddenParts") && text.contains(".env") && text.contains("\"git\""), "\(text)")
    }

    @Test func `a home without its credentials can be handed over for reading`() async throws {
        let home = try TemporaryFolder()
        chmod(home.url.path, 0o755)
        for path in [".ssh/id", ".netrc", ".aws/credentials", ".config/gcloud/x", ".config/plain"] {
            let file = home.url.appending(path: path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data((path.hasSuffix("plain") ? "plain\n" : "secret\n").utf8).write(to: file)
        }
        let script = "cd; cat .ssh/id .netrc .aws/credentials .config/gcloud/x .config/plain; echo x > y"
        let arguments = ["run", "--read-all-but", home.url.path, "--", "sh", "-c", script]
        let ran = try await Program.run("annex", arguments, in: folder, environment: ["HOME": home.url.path])
        #expect(ran.output == "plain\n", "\(ran.output)\(ran.errors)")
        #expect(!FileManager.default.fileExists(atPath: home.url.path + "/y"))
        let refused = try await Program.run(
            "annex", ["run", "--read", home.url.path, "--", "true"], in: folder, environment: ["HOME": home.url.path])
        #expect(refused.status == 126)
    }

    @Test func `the shipped lists are shown`() async throws {
        for (list, line) in [("protected", ".git/hooks"), ("credentials", "~/.ssh")] {
            let shown = try await Program.annex(["policy", "show", list], in: folder)
            #expect(shown.status == 0 && shown.output.contains(line))
        }
    }

    @Test(
        .enabled(if: geteuid() == 0 && access("/dev/fuse", R_OK | W_OK) == 0, "needs root and /dev/fuse"),
        arguments: ["--read", "--write"])
    func `a file system that never answers is named, and the run does not begin`(given: String) async throws {
        let silent = try SilentMount(at: place + "/silent", user: 0)
        defer { silent.end() }
        let events = folder.url.appending(path: "events").path
        let ran = try await run(given, ".", "--hide", "*.pem", "--json-events", events, script: "echo ran")
        #expect(ran.status == 126 && ran.output.isEmpty, "\(ran)")
        let line = try String(contentsOfFile: events, encoding: .utf8)
        #expect(line.contains("\"event\":\"ended\"") && line.contains("has not answered"), "\(line)")
        #expect(ran.errors.contains("cannot be examined: it, or something in it, has not answered"), "\(ran)")
        #expect(ran.errors.contains(place))
    }

    @Test(.enabled(if: access("/dev/fuse", R_OK | W_OK) == 0 && geteuid() == 0, "needs root and /dev/fuse"))
    func `no note after a success waits for the file system of another user`() async throws {
        let silent = try SilentMount(at: place + "/silent", user: 1000)
        defer { silent.end() }
        let line = "touch: cannot touch '\(place)/silent/a/b': Permission denied"
        let named = try await run("--read", "open", script: "echo \"\(line)\" >&2")
        #expect(named.status == 0, "\(named)")
    }

    @Test(.enabled(if: access("/dev/fuse", R_OK | W_OK) == 0 && geteuid() == 0, "needs root and /dev/fuse"))
    func `no note waits for a file system that appeared during the run`() async throws {
        try make("later/file", "")
        async let ran = run("--write", ".", script: "touch begun; while [ ! -e go ]; do sleep 0.05; done")
        let begun = ContinuousClock.now
        while access(place + "/begun", F_OK) != 0, .now - begun < .seconds(60) {
            try await Task.sleep(for: .milliseconds(20))
        }
        let appeared = try SilentMount(at: place + "/later", user: 1000)
        defer { appeared.end() }
        try Data().write(to: URL(filePath: place + "/go"))
        #expect(try await ran.status == 0)
    }
}

/// A FUSE file system that never answers: the kernel waits for the first answer of the server, which is never sent.
private struct SilentMount {
    private let place: String
    private let server: Int32

    init(at place: String, user: Int) throws {
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        self.place = place
        server = open("/dev/fuse", O_RDWR | O_CLOEXEC)
        try #require(server >= 0)
        let options = "fd=\(server),rootmode=40000,user_id=\(user),group_id=\(user),allow_other"
        try #require(mount("silent", place, "fuse", 0, options) == 0)
    }

    func end() {
        umount2(place, Int32(MNT_DETACH))
        close(server)
    }
}
