import AnnexTestSupport
import Foundation
import Glibc
import Testing

/// git with `--allow git`: its settings, its hooks and its worktrees.
@Suite(.timeLimit(.minutes(20)), .enabled(if: Program.isThere(tool: "git"), "git is not installed"))
struct RunGitTests {
    private let folder: TemporaryFolder
    private let place: String

    init() throws {
        folder = try TemporaryFolder()
        chmod(folder.url.path, 0o755)
        place = folder.url.resolvingSymlinksInPath().path
        try write("[user]\n\tname = A Person\n\temail = a@example.org\n", at: "home/.gitconfig")
        try write("https://user:secret@example.org\n", at: "home/.config/git/credentials")
    }

    private func write(_ text: String, at path: String, mode: mode_t = 0o644) throws {
        let file = folder.url.appending(path: path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
        try FileManager.default.settle(file, mode: mode)
    }

    private func text(_ path: String) throws -> String {
        try String(contentsOf: folder.url.appending(path: path), encoding: .utf8)
    }

    private func names(in directory: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: place + "/" + directory).sorted()
    }

    /// The environment of the user whose home is in the folder.
    private var environment: [String: String] {
        ["HOME": place + "/home", "XDG_CONFIG_HOME": "", "GIT_CONFIG_NOSYSTEM": "1"]
    }

    private func outside(_ script: String) async throws -> Program {
        try await Program.run("/bin/sh", ["-c", "set -e; " + script], in: folder, environment: environment)
    }

    private func inside(_ options: [String], _ script: String) async throws -> Program {
        try await Program.run(
            "annex", ["run"] + options + ["--", "sh", "-c", script], in: folder, environment: environment)
    }

    /// Makes a repository with one commit, and a worktree of it in another directory.
    private func makeWorktree() async throws {
        let made = try await outside(
            """
            git init -q -b main main; cd main; echo one > file; git add file; git commit -q -m first
            git worktree add -q ../tree -b topic
            """)
        try #require(made.status == 0, "\(made.errors)")
    }

    @Test func `a commit has the name from the settings of the user, and no password is read`() async throws {
        let script =
            "cd work && { [ -d .git ] || git init -q -b main .; } && echo x > f && git add f && git commit -q -m one"
        try FileManager.default.createDirectory(atPath: place + "/work", withIntermediateDirectories: false)
        let failed = try await inside(["--write", "work"], script)
        #expect(failed.status != 0 && failed.errors.contains("annex: hint: git "), "\(failed.errors)")
        let worked = try await inside(["--write", "work", "--allow", "git"], script)
        #expect(worked.status == 0, "\(worked.errors)")
        let logged = try await outside("git -c safe.directory='*' -C work log -1 --format='%an <%ae> %s'")
        #expect(logged.output == "A Person <a@example.org> one\n", "\(logged.errors)")
        let secret = try await inside(["--allow", "git"], "cat ~/.gitconfig ~/.config/git/credentials")
        #expect(secret.output.contains("A Person") && !secret.output.contains("secret"), "\(secret.output)")
        let written = try await inside(["--allow", "git"], "git config --global user.name other")
        #expect(try written.status != 0 && text("home/.gitconfig").contains("A Person"), "\(written.errors)")
    }

    @Test func `a worktree works, and its commits reach the main repository`() async throws {
        try await makeWorktree()
        let script = "cd tree && git status --porcelain && echo two >> file && git commit -q -a -m second"
        let failed = try await inside(["--write", "tree"], script)
        #expect(failed.status != 0 && failed.errors.contains("annex: hint: git "), "\(failed.errors)")
        let worked = try await inside(["--write", "tree", "--allow", "git"], script)
        #expect(worked.status == 0 && worked.output.isEmpty, "\(worked.errors)")
        let logged = try await outside(
            "cd main; git log topic -1 --format='%an %s'; git fsck --strict; git -C ../tree status --porcelain")
        #expect(logged.output == "A Person second\n" && logged.status == 0, "\(logged.errors)")
        let read = try await inside(["--read", "tree", "--allow", "git"], "cd tree && git log --format=%s; git tag x")
        #expect(read.output == "second\nfirst\n" && read.status != 0, "\(read.errors)")
    }

    @Test func `FS-42: a worktree gives no way to what makes git execute programs`() async throws {
        try await makeWorktree()
        let own = "main/.git/worktrees/tree"
        let kept = ["main/.git/config", "main/.git/HEAD", "tree/.git", own + "/commondir", own + "/gitdir"]
        let before = try kept.map(text)
        let hooks = try names(in: "main/.git/hooks")
        let script = """
            for f in \(kept.joined(separator: " ")); do
              (echo evil > $f) 2>/dev/null; rm -f $f 2>/dev/null; mv tree/x $f 2>/dev/null
            done
            (echo evil > main/.git/hooks/pre-commit) 2>/dev/null
            mv \(own) \(own)2 2>/dev/null; mv main/.git/hooks main/.git/hooks2 2>/dev/null
            mkdir -p main/.git/modules main/.git/new 2>/dev/null
            echo done
            """
        let ran = try await inside(["--write", "tree", "--allow", "git"], "echo x > tree/x; " + script)
        #expect(ran.output == "done\n", "\(ran.errors)")
        #expect(try kept.map(text) == before)
        #expect(try names(in: "main/.git/hooks") == hooks)
        #expect(!FileManager.default.fileExists(atPath: place + "/main/.git/new"))
    }

    @Test func `FS-42: settings of its own for a worktree must exist before a program could make them`() async throws {
        try await makeWorktree()
        _ = try await outside("git -C main config extensions.worktreeConfig true")
        let refused = try await inside(["--write", "tree", "--allow", "git"], "true")
        let settings = "\(place)/main/.git/worktrees/tree/config.worktree"
        #expect(refused.status == 126 && refused.errors.contains("touch \(settings)"), "\(refused.errors)")
        try write("", at: "main/.git/worktrees/tree/config.worktree")
        let ran = try await inside(
            ["--write", "tree", "--allow", "git"], "cd tree && git config --worktree core.fsmonitor evil")
        #expect(try ran.status != 0 && text("main/.git/worktrees/tree/config.worktree").isEmpty, "\(ran.errors)")
    }

    @Test(arguments: [false, true]) func `a hook runs, and can refuse a commit`(inWorktree: Bool) async throws {
        try await makeWorktree()
        try write("#!/bin/sh\necho refused by the hook >&2\nexit 1\n", at: "main/.git/hooks/pre-commit", mode: 0o755)
        let work = inWorktree ? "tree" : "main"
        let ran = try await inside(
            ["--write", work, "--allow", "git"], "cd \(work) && echo x > new && git add new && git commit -q -m no")
        #expect(ran.status == 1 && ran.errors.contains("refused by the hook"), "\(ran.errors)")
        #expect(!ran.errors.contains("annex: note"), "\(ran.errors)")
    }

    @Test func `hooks are changed with the option that gives up their protection, and executed by the next run`()
        async throws
    {
        try await makeWorktree()
        let script =
            "printf '#!/bin/sh\\necho refused; exit 1\\n' > main/.git/hooks/pre-commit && chmod 755 main/.git/hooks/pre-commit"
        let failed = try await inside(["--write", "main", "--allow", "git"], script)
        #expect(failed.status != 0 && failed.errors.contains("add --unprotect git;"), "\(failed.errors)")
        let options = ["--write", "main", "--allow", "git", "--unprotect", "git"]
        let worked = try await inside(options, script)
        #expect(worked.status == 0, "\(worked.errors)")
        let commit = "cd main && git commit -q --allow-empty -m no"
        let skipped = try await inside(options, commit)
        #expect(skipped.status == 0, "what the program may write is not executed: \(skipped.errors)")
        let next = try await inside(["--write", "main", "--allow", "git"], commit)
        #expect(next.status == 1, "\(next.output) \(next.errors)")
        let both = try await inside(["--write-execute", "main", "--allow", "git", "--unprotect", "git"], commit)
        #expect(both.status == 1, "\(both.output) \(both.errors)")
    }

    @Test func `settings of a repository that cannot be replaced lead to their protection`() async throws {
        try await makeWorktree()
        let script = "git config user.name other"
        let place = ["--write", "main", "--directory", "main"]
        let failed = try await inside(place, script)
        #expect(failed.status != 0 && failed.errors.contains("add --unprotect git;"), "\(failed.errors)")
        let worked = try await inside(place + ["--unprotect", "git"], script)
        #expect(worked.status == 0, "\(worked.errors)")
    }

    @Test func `FS-42: giving up the protection opens nothing in the main repository of a worktree`() async throws {
        try await makeWorktree()
        let options = ["--write", "tree", "--allow", "git", "--unprotect", "git"]
        let ran = try await inside(
            options, "cd tree && ! (echo x >> ../main/.git/config) && ! (echo x > ../main/.git/hooks/post-checkout)")
        #expect(ran.status == 0, "\(ran.errors)")
        #expect(try !text("main/.git/config").contains("x\n\n"), "\(ran.errors)")
        #expect(try !names(in: "main/.git/hooks").contains("post-checkout"))
    }

    @Test func `FS-42: a file of git that names a repository of another directory is refused`() async throws {
        try await makeWorktree()
        try write("gitdir: \(place)/main/.git/worktrees/tree\n", at: "other/.git")
        let refused = try await inside(["--write", "other", "--allow", "git"], "true")
        #expect(refused.status == 126, "\(refused.errors)")
        #expect(refused.errors.contains("is not the repository of this worktree"), "\(refused.errors)")
        // A repository that a program made up has no say about a directory around it.
        try write("gitdir: \(place)/home/worktrees/x\n", at: "other/.git")
        try write("\(place)/other/.git\n", at: "home/worktrees/x/gitdir")
        try write("../..\n", at: "home/worktrees/x/commondir")
        let unlike = try await inside(["--write", "other", "--allow", "git"], "cat home/.config/git/credentials")
        #expect(unlike.status == 126 && !unlike.output.contains("secret"), "\(unlike.errors)")
    }

    @Test(arguments: [
        "gitdir: ../home\n", "gitdir: /etc\n", "gitdir: \n", "", "gitdir: x\ny\n", "gitdir: ../main/.git\n",
    ])
    func `FS-42: a file of git that names no worktree gives nothing`(pointer: String) async throws {
        try await makeWorktree()
        try write(pointer, at: "other/.git")
        let ran = try await inside(
            ["--write", "other", "--allow", "git"], "cat home/.config/git/credentials main/.git/HEAD; ls other")
        #expect(ran.output.isEmpty, "\(ran.output)\(ran.errors)")
    }

    @Test func `FS-42: a link in place of a part of the main repository is refused`() async throws {
        try await makeWorktree()
        let moved = try await outside("mv main/.git/logs saved; ln -s ../../home main/.git/logs")
        try #require(moved.status == 0, "\(moved.errors)")
        let ran = try await inside(["--write", "tree", "--allow", "git"], "echo x > home/evil; ls home")
        #expect(!FileManager.default.fileExists(atPath: place + "/home/evil"), "\(ran.errors)")
        #expect(!ran.output.contains(".config"), "\(ran.output)")
    }
}
