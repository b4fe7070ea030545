import AnnexTestSupport
import Foundation
import Testing

/// Files that one run leaves must not decide which files the next run hands over.
@Suite(.timeLimit(.minutes(20))) struct GrantedLinkTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        for name in ["w", "w/sub", "secret"] {
            let url = folder.url.appending(path: name)
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
            // If root runs the test, the sandboxed program runs as another user.
            chmod(url.path, 0o777)
        }
        try Data("secret\n".utf8).write(to: folder.url.appending(path: "secret/key"))
    }

    /// Runs a line in a shell. `annex` is the program.
    private func shell(_ line: String) async throws -> Program {
        let annex = ExampleBundles.products.appending(path: "annex").path
        return try await Program.run("/bin/sh", ["-c", line.replacing("annex run", with: "\(annex) run")], in: folder)
    }

    @Test func `FS-10: a link planted in a writable folder is not handed over`() async throws {
        let line = """
            (cd w && mv sub old && ln -s "$PWD/../secret" sub); \
            annex run --write w --write w/sub -- sh -c 'cat w/sub/key; echo x > w/sub/planted'; echo $?; \
            annex run --write w --read w/sub -- cat w/sub/key; echo $?; ls secret
            """
        let run = try await shell(line)
        #expect(run.output == "126\n126\nkey\n", "\(run.errors)")
        #expect(run.errors.contains("w/sub is a link, and a program that may write in"), "\(run.errors)")
    }

    @Test func `FS-10: a folder that is handed over for writing cannot be moved away`() async throws {
        let run = try await shell("annex run --write w --write w/sub -- mv w/sub w/old; echo $?; ls w")
        #expect(run.output == "1\nsub\n" && run.errors.contains("busy"), "\(run)")
    }

    @Test func `FS-10: a link that a sandboxed user made is never handed over`() async throws {
        guard getuid() == 0 else { return }
        let line = """
            annex run --write w -- ln -s ../secret/key w/link; annex run --read w/link -- cat w/link; echo $?; \
            annex run --read w -- readlink w/link
            """
        let run = try await shell(line)
        #expect(run.output == "126\n../secret/key\n", "\(run.errors)")
        #expect(run.errors.contains("a program in a sandbox made this link"), "\(run.errors)")
    }

    /// A `node_modules/.bin` or a `venv/bin` contains links to programs. Other programs made these links. Users who
    /// may write there choose the executed program anyway.
    @Test func `a program may be named by a link that a program made`() async throws {
        let run = try await shell(
            "annex run --write w -- ln -s /bin/true w/made; annex run --write w -- w/made; echo $?")
        #expect(run.output == "0\n", "\(run.errors)")
    }

    @Test func `FS-10: a private directory behind a planted link is not kept`() async throws {
        let policy = """
            policy: keeps
            summary: A test.
            includes: [tool]
            paths: { private: { persistent: { size: 1M, inodes: 100 } } }

            """
        try Data(policy.utf8).write(to: folder.url.appending(path: "keeps.yaml"))
        let run = try await shell(
            """
            ln -s ../secret w/own; \
            annex run --policy ./keeps.yaml --private-directory w/own --write w -- sh -c 'ls $HOME'; echo $?; \
            annex run --policy ./keeps.yaml --private-directory w/sub -- sh -c 'ls $HOME; echo fine'
            """)
        #expect(run.output == "126\nfine\n", "\(run.errors)")
    }

    @Test func `FS-11: a report replaces a link that an earlier run left`() async throws {
        let line = """
            ln -s /dev/null w/null; ln -s ../secret/key w/key; \
            for name in null key; do annex run --write w --report w/$name -- true; \
            test ! -L w/$name && grep -c '"reason"' w/$name; done; cat secret/key; \
            annex run --report /dev/stdout -- true | grep -c '"reason"'
            """
        #expect(try await shell(line).output == "1\n1\nsecret\n1\n")
    }

    /// The grants of a policy are resolved and checked in the same way as paths that are handed over.
    @Test(arguments: ["/root", "/etc", "/usr/lib", "/tmp", "/"])
    func `FS-10: a grant that leads to a forbidden place is refused`(place: String) async throws {
        let link = folder.url.appending(path: "link").path
        let policy = """
            policy: leads
            summary: A test.
            includes: [tool]
            paths: { grants: [{ reason: A test, rights: [read, write], paths: ['\(link)'] }] }

            """
        try Data(policy.utf8).write(to: folder.url.appending(path: "leads.yaml"))
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: place)
        let run = try await shell("annex run --policy ./leads.yaml -- true; echo $?")
        #expect(run.output == "126\n" && run.errors.contains("link is not handed over: it"), "\(run)")
    }

    @Test func `FS-01: a home directory is not handed over under any name`() async throws {
        let line = """
            ln -s w link; HOME=$PWD/w annex run --read link -- true; echo $?; HOME=$PWD/w annex run --read w -- true; \
            echo $?; HOME=$PWD/w annex run --read w/sub -- true; echo $?
            """
        let run = try await shell(line)
        #expect(run.output == "126\n126\n0\n" && run.errors.contains("it is your home"), "\(run)")
    }

    /// Two names can look the same if a letter is composed in one name and decomposed in the other. For the kernel,
    /// they are two files.
    @Test func `FS-01: names that only look alike stay apart`() async throws {
        let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
        for (name, text) in [(composed, "one\n"), (decomposed, "two\n")] {
            // The shell makes the files, because Foundation may change the form of a name.
            _ = try await shell("printf '\(text.dropLast())\\n' > 'secret/\(name)'")
        }
        let both = try await shell(
            """
            annex run --read 'secret/\(composed)' --read 'secret/\(decomposed)' -- \
            cat 'secret/\(composed)' 'secret/\(decomposed)'
            """)
        #expect(both.output == "one\ntwo\n", "\(both.errors)")
        let one = try await shell("annex run --read 'secret/\(composed)' -- cat 'secret/\(decomposed)'; echo $?")
        #expect(one.output == "1\n", "\(one.errors)")
    }

    @Test func `a working directory may be written in every usual form`() async throws {
        let real = (folder.url.path as NSString).resolvingSymlinksInPath
        let usual = ["w/", "./w", "w/../w", "w//", "w/sub/..", "w/."]
        for spelling in usual {
            let run = try await shell("annex run --directory '\(spelling)' --write w -- pwd")
            #expect(run.output == "\(real)/w\n", "\(spelling): \(run.errors)")
        }
        let here = try await shell("cd w && annex run --directory . --read . -- pwd")
        #expect(here.output == "\(real)/w\n", "\(here.errors)")
    }
}
