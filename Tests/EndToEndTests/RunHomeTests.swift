import AnnexTestSupport
import Foundation
import Testing

/// HOME of a program is its own directory. What the program keeps there is named when it is lost, and what the program
/// looks for there is found in the caller's home. Each option that a message names makes the same command work.
@Suite(.timeLimit(.minutes(20))) struct RunHomeTests {
    private let folder: TemporaryFolder
    /// A home outside `/tmp`, where the sandbox has a directory of its own.
    private let home: String

    init() throws {
        folder = try TemporaryFolder()
        chmod(folder.url.path, 0o777)
        home = "/var/tmp/annex-home-\(UUID().uuidString)"
        for name in ["", "/.config", "/.config/app", "/.ssh", "/work", "/own"] {
            try FileManager.default.createDirectory(atPath: home + name, withIntermediateDirectories: true)
            chmod(home + name, 0o777)
        }
    }

    private func withHome<Result>(_ body: () async throws -> Result) async throws -> Result {
        defer { try? FileManager.default.removeItem(atPath: home) }
        return try await body()
    }

    private func run(_ options: [String] = [], script: String) async throws -> Program {
        try await Program.run(
            "annex", ["run"] + options + ["--", "sh", "-c", script], in: folder, environment: ["HOME": home])
    }

    private static func lines(_ program: Program, _ kind: String) -> [String] {
        program.errors.split(separator: "\n").map(String.init).filter { $0.hasPrefix("annex: \(kind): ") }
    }

    private static let own = "give the program a directory of yours as its HOME (--env HOME=DIR --write DIR)"

    @Test(arguments: [
        ("mkdir ~/.ssh; echo x > ~/.ssh/f", "/tmp/.ssh/f is gone", own),
        ("mkdir ~/.gnupg; echo x > ~/.gnupg/a; echo x > ~/.gnupg/b", "/tmp/.gnupg is gone", own),
        ("mkdir ~/.aws; echo x > ~/.aws/config", "/tmp/.aws/config is gone", own),
        ("echo x > ~/.bash_history", "/tmp/.bash_history is gone", own),
        ("mkdir -p ~/.config; echo x > ~/.config/apprc", "/tmp/.config/apprc is gone", own),
        ("mkdir -p ~/.local/bin; echo x > ~/.local/bin/tool", "/tmp/.local/bin/tool is gone", own),
        (
            "mkdir -p ~/.config/app; echo x > ~/.config/app/c", "/tmp/.config/app/c is gone",
            "add --env HOME --write {}/.config/app"
        ),
        (
            "mkdir -p ~/.config/app/sub; cd ~/.config/app; echo x > c; echo x > sub/d", "/tmp/.config/app is gone",
            "add --env HOME --write {}/.config/app"
        ),
        (
            "mkdir -p ~/.local/share/app; echo x > ~/.local/share/app/db", "/tmp/.local/share/app/db is gone",
            "first mkdir -p {}/.local/share/app, and add --env HOME --write {}/.local/share/app"
        ),
        ("mkdir ~/work; echo x > ~/work/f", "/tmp/work/f is gone", "add --env HOME --write {}/work"),
        (
            "cd; mkdir -p .a .b .c .d .e; for n in a b c d e; do echo x > .$n/f; done",
            "/tmp/.a/f, /tmp/.b/f, /tmp/.c/f and 2 more files are gone", "--write {}/.c"
        ),
    ])
    func `what a program keeps in its HOME is named with what would keep it`(
        script: String, lost: String, remedy: String
    ) async throws {
        try await withHome {
            let ran = try await run(script: script)
            let notes = Self.lines(ran, "note")
            let text = lost + " with the program's HOME, which was its own /tmp: to keep "
            #expect(ran.status == 0 && notes.count == 1 && notes.first?.contains(text) == true, "\(ran)")
            #expect(notes.first?.hasSuffix(remedy.replacing("{}", with: home)) == true, "\(notes)")
        }
    }

    @Test func `each remedy for a lost file keeps it, and the note is gone`() async throws {
        try await withHome {
            let script = "mkdir -p ~/.config/app; echo x > ~/.config/app/c"
            let kept = try await run(["--env", "HOME", "--write", home + "/.config/app"], script: script)
            #expect(kept.status == 0 && kept.errors.isEmpty, "\(kept)")
            #expect(try String(contentsOfFile: home + "/.config/app/c", encoding: .utf8) == "x\n")
            let own = ["--env", "HOME=\(home)/own", "--write", home + "/own"]
            let keys = try await run(own, script: "mkdir ~/.ssh && echo x > ~/.ssh/f && echo y > ~/.bash_history")
            #expect(keys.status == 0 && Self.lines(keys, "note").filter { $0.contains("gone") }.isEmpty, "\(keys)")
            #expect(try String(contentsOfFile: home + "/own/.ssh/f", encoding: .utf8) == "x\n")
            #expect(try String(contentsOfFile: home + "/own/.bash_history", encoding: .utf8) == "y\n")
            #expect(try FileManager.default.contentsOfDirectory(atPath: home + "/.ssh").isEmpty)
        }
    }

    @Test(arguments: [
        "mkdir -p ~/.cache/app; echo x > ~/.cache/app/f", "mkdir -p ~/.npm/_logs; echo x > ~/.npm/_logs/f",
        "mkdir -p ~/.app/Cache; echo x > ~/.app/Cache/f", "mkdir -p ~/.config/app", "echo x > ~/.X1-lock",
        "echo x > ~/.org.example.App.aB3dEf", "cd; mkdir build; echo x > build/f", "ln -s /etc ~/.config",
        "mkdir ~/.app; echo x > ~/.app/f.lock; ln -s f ~/.app/g",
        "mkdir -p ~/.cargo/registry; echo > ~/.cargo/registry/f",
    ])
    func `caches, temporary files and links in HOME are no note`(script: String) async throws {
        try await withHome {
            let ran = try await run(script: script)
            #expect(ran.status == 0 && Self.lines(ran, "note").isEmpty, "\(ran)")
        }
    }

    @Test func `a HOME that a hostile program filled is named safely`() async throws {
        try await withHome {
            let deep = try await run(
                script: "cd; i=0; while [ $i -lt 60 ]; do mkdir .d && cd .d || exit 3; i=$((i+1)); done; echo x > f")
            #expect(deep.status == 0 && Self.lines(deep, "note").count == 1, "\(deep)")
            let closed = try await run(script: "mkdir ~/.app; echo x > ~/.app/f; chmod 0 ~/.app")
            #expect(Self.lines(closed, "note").first?.contains("/tmp/.app") == true, "\(closed)")
            let odd = try await run(script: "mkdir ~/.a; echo x > ~/.a/\"$(printf 'f\\033[2J')\"")
            #expect(!odd.errors.contains("\u{1B}") && Self.lines(odd, "note").count == 1, "\(odd)")
            let climbing = try await run(script: "mkdir ~/.config; ln -s / ~/.config/app; ln -s /etc ~/.local")
            #expect(Self.lines(climbing, "note").isEmpty, "\(climbing)")
            let many = try await run(
                script: "mkdir ~/.app; cd ~/.app; i=0; while [ $i -lt 11000 ]; do : > f$i; i=$((i+1)); done")
            #expect(Self.lines(many, "note").first?.contains("/tmp/.app is gone") == true, "\(many)")
        }
    }

    /// A home below `/tmp` lies in the program's own directory. Annex makes there what leads to what was handed over.
    @Test func `a file that a link in HOME leads to is no loss, and a new file beside it is one`() async throws {
        let home = folder.url.resolvingSymlinksInPath().path
        try FileManager.default.createDirectory(atPath: home + "/dot", withIntermediateDirectories: false)
        chmod(home + "/dot", 0o755)
        try Data("v\n".utf8).write(to: folder.url.appending(path: "dot/vimrc"))
        try FileManager.default.createSymbolicLink(atPath: home + "/.vimrc", withDestinationPath: "dot/vimrc")
        func run(_ script: String) async throws -> Program {
            let options = ["--env", "HOME", "--directory", "/", "--read", home + "/.vimrc"]
            return try await Program.run(
                "annex", ["run"] + options + ["--", "sh", "-c", script], in: folder, environment: ["HOME": home])
        }
        let quiet = try await run("cat ~/.vimrc")
        #expect(quiet.output == "v\n" && quiet.errors.isEmpty, "\(quiet)")
        // The working directory is `/` or `/tmp`, and what the program makes in `/tmp` is lost all the same.
        let lost = try await run("echo x > /tmp/kept")
        #expect(Self.lines(lost, "note").first?.contains("/tmp/kept is gone") == true, "\(lost)")
        let inside = try await Program.annex(
            ["run", "--directory", "/tmp", "--", "sh", "-c", "echo x > kept"], in: folder)
        #expect(Self.lines(inside, "note").first?.contains("/tmp/kept is gone") == true, "\(inside)")
    }

    @Test func `a HOME that the caller chose is no loss unless it lies in the own directory`() async throws {
        try await withHome {
            let chosen = try await run(["--env", "HOME=/tmp/h"], script: "mkdir -p ~/.ssh; echo x > ~/.ssh/f")
            #expect(Self.lines(chosen, "note").first?.contains("HOME, which was in its own /tmp") == true, "\(chosen)")
            #expect(chosen.errors.contains("/tmp/h/.ssh/f is gone"), "\(chosen)")
            let other = try await run(["--env", "HOME"], script: "mkdir -p /tmp/.ssh; echo x > /tmp/.ssh/f")
            #expect(!other.errors.contains("HOME"), "\(other)")
        }
    }

    @Test func `a path below HOME that the home of the caller has leads there`() async throws {
        try await withHome {
            try Data("x\n".utf8).write(to: URL(filePath: home + "/.config/app/c"))
            try Data("x\n".utf8).write(to: URL(filePath: home + "/.ssh/id"))
            let failed = try await run(script: "cat ~/.config/app/c")
            let hint =
                "HOME is /tmp in the sandbox, so the program did not find \(home)/.config/app/c: "
                + "add --env HOME --read \(home)/.config/app"
            #expect(Self.lines(failed, "hint").last?.contains(hint) == true, "\(failed)")
            let worked = try await run(
                ["--env", "HOME", "--read", home + "/.config/app"], script: "cat ~/.config/app/c")
            #expect(worked.status == 0 && worked.output == "x\n", "\(worked)")
            // Of a directory with keys, only the file itself.
            let key = try await run(script: "cat ~/.ssh/id")
            let option = "add --env HOME --read \(home)/.ssh/id (this hands over credentials: "
            #expect(Self.lines(key, "hint").last?.contains(option) == true, "\(key)")
            // Some programs print only the path.
            let printed = try await run(script: "echo \"app: bad settings: $HOME/.config/app/c\" >&2; exit 3")
            #expect(Self.lines(printed, "hint").last?.contains("--read \(home)/.config/app") == true, "\(printed)")
            let nowhere = try await run(script: "cat ~/.config/app/nothing")
            #expect(Self.lines(nowhere, "hint").isEmpty, "\(nowhere)")
        }
    }

    @Test func `a file that a program looked for in its HOME is listed with what would show it`() async throws {
        try await withHome {
            try Data("x\n".utf8).write(to: URL(filePath: home + "/.apprc"))
            let script = "test -e ~/.apprc && echo seen; test -e ~/.other; test -d ~/.config; true"
            let listed = try await run(["--explain"], script: script)
            let line = "annex: see /tmp/.apprc: denied by mount namespace with ENOENT; allowed by: --env HOME --read "
            #expect(listed.errors.contains(line + home + "/.apprc\n"), "\(listed)")
            #expect(!listed.errors.contains("/tmp/.other") && !listed.errors.contains("/tmp/.config"), "\(listed)")
            let worked = try await run(["--explain", "--env", "HOME", "--read", home + "/.apprc"], script: script)
            #expect(worked.output == "seen\n" && !worked.errors.contains(".apprc"), "\(worked)")
            let made = try await run(["--explain"], script: "echo x > ~/.apprc; cat ~/.apprc")
            #expect(made.output == "x\n" && !made.errors.contains("allowed by"), "\(made)")
        }
    }

    @Test(arguments: [
        ("ERROR: No matching distribution found for q", ".config/pip/pip.conf"), ("npm ERR! code ENEEDAUTH", ".npmrc"),
        ("error: no token found, please run `cargo login`", ".cargo/config.toml"),
        ("Unable to locate credentials", ".aws/config"), ("Host key verification failed.", ".ssh/known_hosts"),
    ])
    func `an error that comes from missing settings leads to those of the home`(
        error: String, file: String
    ) async throws {
        try await withHome {
            let place = URL(filePath: home + "/" + file)
            try FileManager.default.createDirectory(
                at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data("x\n".utf8).write(to: place)
            let script = "test -e ~/\(file) && exit 0; echo '\(error)' >&2; exit 1"
            let failed = try await run(script: script)
            let hint = "because HOME is another directory in the sandbox: add --env HOME --read \(place.path)"
            #expect(Self.lines(failed, "hint").last?.contains(hint) == true, "\(failed)")
            let worked = try await run(["--env", "HOME", "--read", place.path], script: script)
            #expect(worked.status == 0, "\(worked)")
        }
    }

    @Test func `a directory that the program wants to make below HOME leads to the home of the caller`() async throws {
        try await withHome {
            let failed = try await run(script: "mkdir ~/.config/new")
            let remedy = "first mkdir -p \(home)/.config/new, and add --env HOME --write \(home)/.config/new"
            #expect(Self.lines(failed, "hint").last?.contains(remedy) == true, "\(failed)")
            try FileManager.default.createDirectory(
                atPath: home + "/.config/new", withIntermediateDirectories: false)
            chmod(home + "/.config/new", 0o777)
            let worked = try await run(
                ["--env", "HOME", "--write", home + "/.config/new"], script: "mkdir -p ~/.config/new/sub")
            #expect(worked.status == 0 && worked.errors.isEmpty, "\(worked)")
            let keys = try await run(script: "touch ~/.ssh/new")
            #expect(Self.lines(keys, "hint").last?.contains(Self.own) == true, "\(keys)")
        }
    }

    @Test(arguments: [
        ("touch ~/file", "(touch {}/file), and add --write {}/file"),
        ("echo x > ~/file", "(touch {}/file), and add --write {}/file"),
        ("mkdir ~/dir", "(mkdir {}/dir), and add --write {}/dir"),
    ])
    func `a file that is missing in the home is made as a file, and a directory as a directory`(
        script: String, remedy: String
    ) async throws {
        try await withHome {
            let failed = try await run(["--env", "HOME"], script: script)
            let text = remedy.replacing("{}", with: home)
            #expect(Self.lines(failed, "hint").last?.contains(text) == true, "\(failed)")
            if !script.contains("mkdir") {
                try Data().write(to: URL(filePath: home + "/file"))
                chmod(home + "/file", 0o666)
                let worked = try await run(["--env", "HOME", "--write", home + "/file"], script: script)
                #expect(worked.status == 0, "\(worked)")
            }
        }
    }

    @Test(arguments: [
        ("touch new", "touch"), ("echo x > new", "touch"), ("bash -c 'echo x > new'", "touch"), ("mkdir new", "mkdir"),
    ])
    func `in the home itself, the name of a new file is found in the message`(
        script: String, command: String
    ) async throws {
        try await withHome {
            let annex = ExampleBundles.products.appending(path: "annex").path
            let failed = try await Program.run(
                "/bin/sh", ["-c", "cd '\(home)' && exec '\(annex)' run --env HOME -- sh -c \"$0\"", script], in: folder,
                environment: ["HOME": home])
            let text = "(\(command) \(home)/new), and add --write \(home)/new"
            #expect(Self.lines(failed, "hint").last?.contains(text) == true, "\(failed)")
        }
    }

    @Test func `the help says what is lost and what no option gives`() async throws {
        try await withHome {
            let help = try await Program.annex("run", "--help", in: folder)
            let words = help.output.split { " \n".contains($0) }.joined(separator: " ")
            for part in [
                "HOME AND FILES", "HOME /tmp, the program's own directory", "is gone at the end",
                "--env HOME=DIR --write DIR", "must exist", "editors, sqlite", "sudo, su", "tmux, script", "niceness",
                "descriptors Those above 2 are closed", "/dev/fd/N", "the program is another user (annex, 65533)",
                "group of Annex's own", "root's files in what is handed over are its own", "files of services",
                "dpkg-deb --root-owner-group",
            ] {
                #expect(words.contains(part), "\(part)")
            }
            #expect(!help.output.split(separator: "\n").contains { $0.count > 80 }, "\(help.output)")
            let exit =
                help.output.components(separatedBy: "EXIT STATUS\n").last?.components(separatedBy: "\n\n").first ?? ""
            let rows = exit.split(separator: "\n")
            #expect(rows.count > 6 && rows.allSatisfy { $0.hasPrefix("  ") }, "\(exit)")
        }
    }
}
