import AnnexTestSupport
import Foundation
import Testing

/// A program has the same name inside as outside: scripts look at it, and programs with many names are told apart by it.
@Suite(.timeLimit(.minutes(20))) struct RunNameTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        chmod(folder.url.path, 0o755)
        try FileManager.default.createDirectory(
            at: folder.url.appending(path: "b"), withIntermediateDirectories: false)
    }

    private var place: String { folder.url.resolvingSymlinksInPath().path }

    private func script(_ name: String, _ text: String) throws {
        let file = folder.url.appending(path: name)
        try Data(text.utf8).write(to: file)
        try FileManager.default.settle(file, mode: 0o755)
    }

    /// Runs a line of a shell in which `RUN` stands before each program.
    private func shell(_ line: String, run options: [String]? = nil) async throws -> Program {
        let annex = ExampleBundles.products.appending(path: "annex").path
        let words = options.map { ([annex, "run"] + $0 + ["--"]).joined(separator: " ") } ?? ""
        return try await Program.run("/bin/sh", ["-c", line.replacing("RUN ", with: words + " ")], in: folder)
    }

    /// The output of a line inside. It must be the same outside.
    private func same(_ line: String, run options: [String]) async throws -> String {
        let outside = try await shell(line)
        let inside = try await shell(line, run: options)
        #expect(inside.output == outside.output && inside.status == outside.status, "\(line): \(inside.errors)")
        #expect(!inside.output.isEmpty, "\(line): \(inside.errors)")
        return inside.output
    }

    private static let interpreters = [
        "#!/bin/sh\necho \"$0 $*\"\n", "#!/usr/bin/env -S sh -e\necho \"$0 $*\"\n",
        "#!/usr/bin/python3\nimport sys\nprint(*sys.argv)\n", "#!/usr/bin/perl -w\nprint \"$0 @ARGV\\n\";\n",
    ]

    @Test(arguments: interpreters, [[], ["--execute", "b"], ["--read", "."], ["--write", "."]])
    func `a script that is started through a link keeps its name`(text: String, options: [String]) async throws {
        let interpreter = String(text.dropFirst(2).prefix { $0 != " " && $0 != "\n" })
        guard access(interpreter, X_OK) == 0 else {
            print("skipped: there is no \(interpreter)")
            return
        }
        try script("b/multi", text)
        try FileManager.default.createSymbolicLink(
            atPath: folder.url.path + "/b/foo", withDestinationPath: "multi")
        for name in ["b/foo", "./b/foo", "../\(folder.url.lastPathComponent)/b/foo", "'\(place)/b/foo'", "b/multi"] {
            let spelled = name.replacing("'", with: "")
            #expect(try await same("RUN \(name) one two", run: options) == "\(spelled) one two\n")
        }
        let searched = try await same("PATH=\"$PWD/b:$PATH\"; export PATH; RUN foo one", run: options)
        #expect(searched == "\(place)/b/foo one\n")
    }

    @Test func `a relative name is absolute where it would lead to another file`() async throws {
        try FileManager.default.createDirectory(
            atPath: folder.url.path + "/other/b", withIntermediateDirectories: true)
        try script("b/multi", "#!/bin/sh\necho \"right $0\"\n")
        try script("other/b/foo", "#!/bin/sh\necho \"wrong $0\"\n")
        try FileManager.default.createSymbolicLink(
            atPath: folder.url.path + "/b/foo", withDestinationPath: "multi")
        let elsewhere = try await shell("RUN b/foo", run: ["--read", ".", "--directory", "other"])
        #expect(elsewhere.output == "right \(place)/b/foo\n", "\(elsewhere.errors)")
        let here = try await shell("RUN b/foo", run: ["--read", ".", "--directory", "."])
        #expect(here.output == "right b/foo\n", "\(here.errors)")
    }

    @Test func `a script whose name begins with a hyphen is no option of its interpreter`() async throws {
        try FileManager.default.createDirectory(
            atPath: folder.url.path + "/-c", withIntermediateDirectories: false)
        try script("-c/foo", "#!/bin/sh\necho \"$0\"\n")
        let run = try await shell("RUN -c/foo", run: [])
        #expect(run.output == "\(place)/-c/foo\n", "\(run.errors)")
    }

    /// Nobody but root can change the names in `/usr`, so the kernel itself follows them. A path does not show which
    /// directory a `..` leaves, so another user could exchange it.
    @Test func `a program of the system is executed by its name`() async throws {
        for (name, isNamed) in [("/bin/true", true), ("/usr/bin/true", true), ("/usr/bin/../bin/true", false)] {
            let run = try await shell("RUN \(name)", run: ["--env", "LD_SHOW_AUXV=1"])
            let line = run.output.split(separator: "\n").first { $0.hasPrefix("AT_EXECFN:") }
            #expect(line?.hasSuffix(" \(name)") == isNamed, "\(run)")
        }
        let link = "/usr/bin/awk"
        guard (try? FileManager.default.destinationOfSymbolicLink(atPath: link)) != nil else {
            print("skipped: \(link) is no link")
            return
        }
        let line = "RUN awk 'BEGIN { getline name < \"/proc/self/comm\"; print name }'"
        #expect(try await same(line, run: []) == "awk\n")
    }

    @Test func `a script of the system that looks at its own name is found`() async throws {
        let wrapper = "/usr/share/postgresql-common/pg_wrapper"
        guard access(wrapper, X_OK) == 0, access("/usr/bin/psql", X_OK) == 0 else {
            print("skipped: there is no \(wrapper)")
            return
        }
        let output = try await same("RUN psql --version; RUN /usr/bin/psql --version", run: [])
        #expect(output.hasPrefix("psql "))
    }

    @Test func `a virtual environment of Python is found by the name of its link`() async throws {
        guard access("/usr/bin/python3", X_OK) == 0 else {
            print("skipped: there is no /usr/bin/python3")
            return
        }
        try FileManager.default.createDirectory(
            atPath: folder.url.path + "/venv/bin", withIntermediateDirectories: true)
        try Data("home = /usr/bin\n".utf8).write(to: folder.url.appending(path: "venv/pyvenv.cfg"))
        for (link, target) in [("python", "/usr/bin/python3"), ("python3", "python")] {
            try FileManager.default.createSymbolicLink(
                atPath: folder.url.path + "/venv/bin/" + link, withDestinationPath: target)
        }
        try script("venv/bin/tool", "#!\(place)/venv/bin/python\nimport sys\nprint(sys.prefix, *sys.argv)\n")
        try FileManager.default.createSymbolicLink(
            atPath: folder.url.path + "/b/run-tool", withDestinationPath: "../venv/bin/tool")
        let own = "\(place)/venv"
        let print = "-c 'import sys; print(sys.prefix, sys.executable)'"
        let options = ["--execute", "venv"]
        for name in ["venv/bin/python", "venv/bin/python3", "\(own)/bin/python"] {
            #expect(try await same("RUN '\(name)' \(print)", run: options).hasPrefix("\(own) \(own)/bin/python"))
        }
        #expect(try await same("RUN venv/bin/tool x", run: options) == "\(own) venv/bin/tool x\n")
        #expect(try await same("RUN b/run-tool x", run: options) == "\(own) b/run-tool x\n")
    }

    /// Another program exchanges the link while runs begin. Each run executes one of the two whole scripts.
    @Test func `FS-10: a link that is exchanged meanwhile executes nothing else`() async throws {
        for name in ["first", "second"] { try script("b/\(name)", "#!/bin/sh\necho \(name)\n") }
        let path = folder.url.path + "/b"
        try FileManager.default.createSymbolicLink(atPath: path + "/foo", withDestinationPath: "first")
        let exchange = try ChildProcess(
            URL(filePath: "/bin/sh"),
            arguments: ["-c", "while :; do ln -sf /bin/true foo; ln -sf second foo; ln -sf first foo; done"],
            in: URL(filePath: path), output: .none, errors: .none)
        defer { exchange.signal(SIGKILL) }
        for _ in 0..<12 {
            let run = try await shell("RUN b/foo", run: ["--execute", "b"])
            #expect(["", "first\n", "second\n"].contains(run.output), "\(run)")
        }
    }
}
