import AnnexPolicy
import AnnexTestSupport
import Foundation
import Testing

@testable import AnnexCommand

/// The file in which `annex run --ask` remembers answers, and the conditions under which it counts.
@Suite(.timeLimit(.minutes(20))) struct ProjectFileTests {
    private static let text = """
        run:
          - program: make
            write-execute: [.]
            allow: [jit, sockets]
          - program: ./tools/build.sh
            read: ../shared data
        """

    @Test func `the file of the page Agents has the options of its command line`() throws {
        let root = URL(filePath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(contentsOf: root.appending(path: "Docs/Guide/Agents.md"), encoding: .utf8)
        let yaml = try #require(page.components(separatedBy: "```yaml\n").dropFirst().first)
        let text = try #require(yaml.components(separatedBy: "```").first)
        let command = try #require(page.components(separatedBy: "\nannex run ").dropFirst().first)
        let words = try #require(command.components(separatedBy: " -- agent").first)
            .replacingOccurrences(of: "\\\n", with: " ").replacingOccurrences(of: "~/", with: "/home/ana/")
            .split(separator: " ").map(String.init)
        func pairs(_ words: [String]) -> Set<String> {
            Set(stride(from: 0, to: words.count - 1, by: 2).map { words[$0] + " " + words[$0 + 1] })
        }
        let file = try ProjectFile(text: text, file: ProjectFile.name)
        #expect(pairs(file.words(for: "agent")) == pairs(words) && words.count == 14)
    }

    @Test func `the options of a program are read in a fixed order`() throws {
        let file = try ProjectFile(text: Self.text, file: ".annex.yaml")
        #expect(file.words(for: "make") == ["--write-execute", ".", "--allow", "jit", "--allow", "sockets"])
        #expect(file.words(for: "./tools/build.sh") == ["--read", "../shared data"])
        #expect(file.words(for: "sh").isEmpty)
    }

    @Test func `the written text is read back`() throws {
        var file = try ProjectFile(text: Self.text, file: ".annex.yaml")
        file.add(["--allow-line", "{ call: mknodat, when: { mode: '010644' } }"], for: "make")
        file.add(["--read", "it's here", "--limit", "scratch=1G"], for: "new")
        file.add(["--allow", "jit"], for: "make")
        #expect(try ProjectFile(text: file.text, file: ".annex.yaml") == file)
        #expect(file.words(for: "make").filter { $0 == "jit" }.count == 1)
    }

    @Test(arguments: [
        ("run: [{ program: make, hide: [a/../b] }]", "no `.` and no `..`"),
        ("run: [{ program: make, unprotect: [gti] }]", "is not a group"),
        ("run: [{ program: make, policy: none }]", "policy"), ("run: [{ read: [.] }]", "program"),
        ("walk: []", "walk"), ("run: [{ program: make, read: [--write] }]", "hyphen"),
        ("run: [{ program: make, read: [\"a\\u001b[0m\"] }]", "plain text"), ("- x", "mapping"), ("", "empty"),
        ("run: [{ program: make, read: [\"a  annex: which?\"] }]", "two spaces"),
        ("run: [{ program: \"a\\u3000b\" }]", "plain text"), ("run: [{ program: \"a\\u202eb\" }]", "plain text"),
    ])
    func `a file with a mistake is refused with its place`(text: String, part: String) {
        let error = #expect(throws: PolicyError.self) { try ProjectFile(text: text, file: "/p/.annex.yaml") }
        #expect(error.map { "\($0)".contains("/p/.annex.yaml") && "\($0)".contains(part) } == true, "\(error as Any)")
    }

    @Test func `a program has the same name wherever it is started`() {
        for (typed, here, key) in [
            ("make", "/p/sub", "make"), ("./b.sh", "/p/sub", "./sub/b.sh"), ("../b.sh", "/p/sub", "./b.sh"),
            ("/p/b.sh", "/", "./b.sh"), ("/usr/bin/make", "/p", "/usr/bin/make"), ("./b", "/pq", "/pq/b"),
        ] {
            #expect(ProjectOptions.key(typed, from: here, folder: "/p") == key)
        }
    }

    @Test func `only the nearest file up to the home directory is found`() throws {
        let folder = try TemporaryFolder()
        let home = folder.url.resolvingSymlinksInPath().path
        let deep = home + "/a/b"
        try FileManager.default.createDirectory(atPath: deep, withIntermediateDirectories: true)
        #expect(ProjectFolder.nearest(from: deep, home: home) == nil)
        try Data().write(to: URL(filePath: home + "/.annex.yaml"))
        #expect(ProjectFolder.nearest(from: deep, home: home) == home)
        #expect(ProjectFolder.nearest(from: deep, home: home + "/a") == nil)
        try FileManager.default.createSymbolicLink(atPath: home + "/a/.annex.yaml", withDestinationPath: "nowhere")
        #expect(ProjectFolder.nearest(from: deep, home: home) == home + "/a")
    }

    @Test func `a file counts only if it is the own, plain file of an own directory`() throws {
        let folder = try TemporaryFolder()
        let path = folder.url.resolvingSymlinksInPath().path
        let file = path + "/.annex.yaml"
        #expect(throws: (any Error).self) { try ProjectFolder(path).read() }
        try ProjectFolder(path).write("run: []\n")
        #expect(try ProjectFolder(path).read() == Array("run: []\n".utf8))
        for mode in [0o664, 0o646] as [mode_t] {
            chmod(file, mode)
            #expect(throws: (any Error).self, "mode \(mode)") { try ProjectFolder(path).read() }
        }
        chmod(file, 0o644)
        link(file, path + "/other")
        #expect(throws: (any Error).self) { try ProjectFolder(path).read() }
        unlink(file)
        symlink("other", file)
        #expect(throws: (any Error).self) { try ProjectFolder(path).read() }
        unlink(file)
        mkfifo(file, 0o600)
        #expect(throws: (any Error).self) { try ProjectFolder(path).read() }
        chmod(path, 0o777)
        #expect(throws: (any Error).self) { try ProjectFolder(path).read() }
    }

    @Test func `a changed file, or the same file elsewhere, is not allowed`() throws {
        let folder = try TemporaryFolder()
        let allowed = AllowedFiles(folder: folder.url.resolvingSymlinksInPath().path + "/state/annex/run")
        #expect(!allowed.contain("/p/.annex.yaml", contents: [1, 2]))
        try allowed.set("/p/.annex.yaml", contents: [1, 2])
        try allowed.set("/p/.annex.yaml", contents: [1, 2])
        #expect(allowed.contain("/p/.annex.yaml", contents: [1, 2]))
        #expect(!allowed.contain("/p/.annex.yaml", contents: [1, 2, 3]))
        #expect(!allowed.contain("/q/.annex.yaml", contents: [1, 2]))
        chmod(allowed.folder, 0o777)
        #expect(!allowed.contain("/p/.annex.yaml", contents: [1, 2]))
    }

    private func emptyNotes() throws -> (allowed: AllowedFiles, folder: TemporaryFolder) {
        let folder = try TemporaryFolder()
        return (AllowedFiles(folder: folder.url.resolvingSymlinksInPath().path + "/annex/run"), folder)
    }

    @Test func `DEPUTY-14: there is one note for each place, and it holds the last contents`() throws {
        let (allowed, folder) = try emptyNotes()
        try allowed.remove("/p/.annex.yaml")
        for contents in [[1], [1, 2], [3]] as [[UInt8]] { try allowed.set("/p/.annex.yaml", contents: contents) }
        try allowed.set("/q/.annex.yaml", contents: [1])
        #expect(allowed.contain("/p/.annex.yaml", contents: [3]) && allowed.contain("/q/.annex.yaml", contents: [1]))
        for contents in [[1], [1, 2]] as [[UInt8]] {
            #expect(!allowed.contain("/p/.annex.yaml", contents: contents))
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: allowed.folder)
        #expect(names.count == 2, "\(names)")
        let notes = try names.map { try String(contentsOfFile: allowed.folder + "/" + $0, encoding: .utf8) }
        #expect(notes.contains { $0.hasSuffix("\n/p/.annex.yaml\n") }, "a person finds the note by its path: \(notes)")
        try allowed.remove("/p/.annex.yaml")
        #expect(!allowed.contain("/p/.annex.yaml", contents: [3]) && allowed.contain("/q/.annex.yaml", contents: [1]))
        _ = folder
    }

    /// A process that is killed in the middle leaves a draft. A note that another program could have written does not
    /// count either.
    @Test func `DEPUTY-14: only a whole note of the own user counts`() throws {
        let (allowed, folder) = try emptyNotes()
        try allowed.set("/p/.annex.yaml", contents: [1])
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: allowed.folder).first)
        let note = allowed.folder + "/" + name
        let whole = try Data(contentsOf: URL(filePath: note))
        try FileManager.default.moveItem(atPath: note, toPath: note + ".\(getpid())")
        #expect(!allowed.contain("/p/.annex.yaml", contents: [1]), "a draft is no note")
        try allowed.set("/p/.annex.yaml", contents: [2])
        #expect(allowed.contain("/p/.annex.yaml", contents: [2]), "an old draft is in nobody's way")
        for part in [Data(), whole.prefix(20), whole.prefix(64)] {
            try part.write(to: URL(filePath: note))
            #expect(!allowed.contain("/p/.annex.yaml", contents: [1]), "\(part.count) bytes")
        }
        try whole.write(to: URL(filePath: note))
        #expect(allowed.contain("/p/.annex.yaml", contents: [1]))
        link(note, note + "-other")
        #expect(!allowed.contain("/p/.annex.yaml", contents: [1]), "a second name")
        unlink(note + "-other")
        chmod(note, 0o622)
        #expect(!allowed.contain("/p/.annex.yaml", contents: [1]), "writable for others")
        _ = folder
    }

    @Test func `a program counts as changeable if another entry may write where it lies`() throws {
        func changeable(_ entries: String...) throws -> [String] {
            try ProjectFile(text: "run:\n" + entries.map { "  - \($0)\n" }.joined(), file: "f")
                .changeablePrograms(in: "/p")
        }
        let maker = "{ program: make, write-execute: [out] }"
        #expect(try changeable(maker, "{ program: ./out/a, read: [x] }") == ["./out/a"])
        #expect(try changeable(maker, "{ program: ./outer/a }", "{ program: make }", "{ program: out }") == [])
        #expect(try changeable("{ program: ./out/a, write: [.] }") == [], "a program gains nothing by changing itself")
        #expect(try changeable("{ program: sh, write: ['/srv/../srv/b'] }", "{ program: /srv/b/c }") == ["/srv/b/c"])
    }

    @Test func `a program counts as changeable also if its place is named through a link`() throws {
        let folder = try TemporaryFolder()
        let place = folder.url.resolvingSymlinksInPath().path
        try FileManager.default.createDirectory(atPath: place + "/real", withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(atPath: place + "/link", withDestinationPath: "real")
        for (written, program) in [("real", "link"), ("link", "real")] {
            let text = """
                run:
                  - { program: make, write: ['\(place)/\(written)'] }
                  - { program: '\(place)/\(program)/tool', read: [x] }

                """
            let file = try ProjectFile(text: text, file: "f")
            #expect(file.changeablePrograms(in: "/p") == ["\(place)/\(program)/tool"])
        }
    }
}

/// The question of `annex run --ask`.
@Suite(.timeLimit(.minutes(20))) struct RunQuestionTests {
    private static let hint = RunHint(
        line: "x", choices: [RunChoice("--allow", "network"), RunChoice("--read", "/home/user/.ssh")])

    @Test func `the question names every option in full, and what it gives`() throws {
        let question = try #require(RunQuestion(Self.hint, place: "/p/.annex.yaml"))
        #expect(question.text.hasPrefix("annex: hint: x\n"))
        #expect(question.text.contains("  1   --allow network\n") && question.text.contains("send everything"))
        #expect(question.text.contains("  2   --read /home/user/.ssh\n") && question.text.contains("keys or passwords"))
        #expect(question.text.contains("1r, 2r  the same, and remember it in /p/.annex.yaml"))
    }

    @Test func `what a variable hands over is said`() {
        #expect(RunMeaning.of(["--env", "TOKEN"]).contains("your value of TOKEN, which may be a password"))
        #expect(RunMeaning.of(["--env", "LD_PRELOAD=/p/a.so"]).contains("LD_PRELOAD can name code"))
        #expect(RunMeaning.of(["--env", "PYTHONPATH"]).contains("PYTHONPATH can name code"))
        #expect(!RunMeaning.of(["--env", "LANG=C"]).contains("code"))
        #expect(!RunMeaning.of(["--env", "A", "--env", "B=1"]).contains("more of this machine"))
    }

    @Test func `a path that is one file is called a file`() throws {
        let folder = try TemporaryFolder()
        let place = folder.url.path
        for name in ["a", "b"] { try Data().write(to: URL(filePath: place + "/" + name)) }
        #expect(RunMeaning.of(["--read", place + "/a"]) == "The program can then read this file.")
        #expect(RunMeaning.of(["--write", place + "/a"]) == "The program can then read and change this file.")
        #expect(RunMeaning.of(["--execute", place + "/a"]) == "The program can then read this file, and run it.")
        #expect(
            RunMeaning.of(["--execute", place + "/a", "--execute", place + "/b"])
                == "The program can then read these files, and run them.")
        #expect(RunMeaning.of(["--read", place]) == "The program can then read everything there.")
        #expect(RunMeaning.of(["--read", "/nowhere/at/all"]) == "The program can then read everything there.")
        #expect(RunMeaning.of(["--read", place, "--read", place + "/a"]).contains("everything in these directories"))
    }

    @Test func `options of one kind have one sentence`() {
        let options = ["--read", "/p/a", "--allow-line", "flock", "--read", "/p/b", "--allow-line", "chroot"]
        #expect(
            RunMeaning.of(options)
                == "The program can then read everything there. The kernel then performs these calls for the program.")
        let mixed = RunMeaning.of(["--write", "/p/a", "--write", "/home/user/.ssh"])
        #expect(mixed.hasSuffix("everything there. Some of these files usually hold keys or passwords."), "\(mixed)")
        let limits = RunMeaning.of(["--memory", "1G", "--limit", "file=1G"])
        #expect(limits == "The program can then use more of this machine.")
    }

    @Test func `only an offered key is an answer`() throws {
        let question = try #require(RunQuestion(Self.hint, place: "/p/.annex.yaml"))
        #expect(question.answer("1") == .once(Self.hint.choices[0]))
        #expect(question.answer(" 2r ") == .always(Self.hint.choices[1]))
        for line in [nil, "", "y", "yes", "0", "3", "11", "1rr", "r", "1 2", "-1"] {
            #expect(question.answer(line) == .no)
        }
        let homeless = try #require(RunQuestion(Self.hint, place: nil))
        #expect(homeless.answer("1r") == .no && !homeless.text.contains("remember"))
    }

    @Test func `an option that a terminal would not show as it is cannot be allowed`() throws {
        for path in ["/p/a\u{1B}[2K", "/p/a\nb", "/p/\u{202E}gpj", "/p/a   2   --read b", "/p/a\u{3000}b"] {
            #expect(RunQuestion(RunHint(line: "x", choices: [RunChoice("--read", path)]), place: nil) == nil)
        }
        #expect(RunQuestion(RunHint(line: "x"), place: nil) == nil)
        let crooked = RunHint(line: "a      annex: which?", choices: Self.hint.choices)
        #expect(try #require(RunQuestion(crooked, place: nil)).text.hasPrefix("annex: run it again"))
    }

    @Test func `a path with more rights replaces the same path with fewer`() {
        var options = RunOptions()
        func add(_ words: String...) -> Bool { options.add(words) }
        let begun = add("--read", ".", "--write", "out")
        let executes = add("--write-execute", "out")
        #expect(begun && executes)
        #expect(options.write.isEmpty && options.writeExecute == ["out"])
        let reads = add("--execute", ".")
        #expect(reads && options.read.isEmpty && options.execute == ["."])
        for words in [["--read", "--write"], ["--nosuch", "x"], ["--read"]] {
            let isAdded = options.add(words)
            #expect(!isAdded)
        }
    }
}
