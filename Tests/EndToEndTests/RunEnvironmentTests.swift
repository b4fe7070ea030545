import AnnexTestSupport
import Foundation
import Testing

/// The part of the caller's environment and limits that a program of `annex run` gets.
@Suite(.timeLimit(.minutes(20))) struct RunEnvironmentTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        chmod(folder.url.path, 0o755)
        for name in ["tools", "other"] {
            let made = folder.url.appending(path: name)
            try FileManager.default.createDirectory(at: made, withIntermediateDirectories: false)
            chmod(made.path, 0o755)
            let file = made.appending(path: "annex-tool")
            try Data("#!/bin/sh\necho \(name)\n".utf8).write(to: file)
            try FileManager.default.settle(file, mode: 0o755)
        }
    }

    private var place: String { folder.url.resolvingSymlinksInPath().path }

    private func run(
        _ options: [String], _ program: [String], environment: [String: String] = [:]
    ) async throws -> Program {
        let path = ["PATH": "\(place)/tools:\(place)/other:/usr/local/bin:/usr/bin:/bin"]
        return try await Program.run(
            ExampleBundles.products.appending(path: "annex").path, ["run"] + options + ["--"] + program, in: folder,
            environment: path.merging(environment) { $1 })
    }

    private func variables(_ ran: Program) -> [String: String] {
        let pairs = ran.output.split(separator: "\n").compactMap { line -> (String, String)? in
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            return parts.count == 2 ? (parts[0], parts[1]) : nil
        }
        return Dictionary(pairs) { $1 }
    }

    @Test func `directories of PATH that were handed over for execution stay on it in their order`() async throws {
        let ran = try await run(["--execute", "tools"], ["env"])
        #expect(variables(ran)["PATH"] == "\(place)/tools:/usr/local/bin:/usr/bin:/bin", "\(ran)")
        let both = try await run(["--execute", "other", "--write-execute", "tools"], ["env"])
        #expect(variables(both)["PATH"] == "\(place)/tools:\(place)/other:/usr/local/bin:/usr/bin:/bin", "\(both)")
        let read = try await run(["--read", "tools"], ["env"])
        #expect(variables(read)["PATH"] == "/usr/local/bin:/usr/bin:/bin", "\(read)")
        let stated = try await run(["--execute", "tools", "--env", "PATH=/usr/bin"], ["env"])
        #expect(variables(stated)["PATH"] == "/usr/bin", "\(stated)")
    }

    @Test func `a child is found as the caller finds it`() async throws {
        let ran = try await run(["--execute", "tools", "--execute", "other"], ["sh", "-c", "annex-tool"])
        #expect(ran.output == "tools\n", "\(ran)")
        let second = try await run(["--execute", "other"], ["/usr/bin/env", "annex-tool"])
        #expect(second.output == "other\n", "\(second)")
    }

    @Test func `a virtual environment that was handed over is in force`() async throws {
        try #require(access("/usr/bin/python3", X_OK) == 0, "python3 is needed to make a virtual environment")
        let made = try await Program.run(
            "/usr/bin/python3", ["-m", "venv", "--without-pip", "\(place)/venv"], in: folder)
        try #require(made.status == 0, "\(made.errors)")
        let path = ["PATH": "\(place)/venv/bin:/usr/bin:/bin", "VIRTUAL_ENV": "\(place)/venv"]
        let ask = "import sys; print(sys.prefix)"
        for program in [["python3", "-c", ask], ["sh", "-c", "python3 -c '\(ask)'"]] {
            let ran = try await run(["--execute", "venv"], program, environment: path)
            #expect(ran.output == "\(place)/venv\n" && ran.errors.isEmpty, "\(ran)")
        }
        let lost = try await run([], ["python3", "-c", ask], environment: path)
        let note =
            "annex: note: \(place)/venv/bin/python3 ran without \(place)/venv/bin, which the sandbox lacks: "
            + "add --execute \(place)/venv"
        #expect(lost.status == 0 && lost.errors.contains(note), "\(lost)")
    }

    @Test func `variables that name only places that were handed over are kept`() async throws {
        let given = [
            "VIRTUAL_ENV": "\(place)/tools", "PYTHONPATH": "\(place)/other:\(place)/tools/lib", "ANNEX_VIEW": place,
            "SECRET_FILE": "\(place)/other/key", "MIXED": "\(place)/tools:relative", "LD_PRELOAD_DIR": "\(place)/tools",
            "CLIMBING": "\(place)/tools/../other", "TOKEN": "secret",
        ]
        let seen = variables(try await run(["--read", "tools"], ["env"], environment: given))
        #expect(seen["VIRTUAL_ENV"] == "\(place)/tools" && seen["PYTHONPATH"] == "\(place)/tools/lib", "\(seen)")
        for name in ["ANNEX_VIEW", "SECRET_FILE", "MIXED", "LD_PRELOAD_DIR", "CLIMBING", "TOKEN"] {
            #expect(seen[name] == nil, "\(name): \(seen)")
        }
    }

    @Test func `variables of builds are kept, and the jobserver of make is not`() async throws {
        let given = ["CC": "clang", "CI": "1", "SOURCE_DATE_EPOCH": "7", "MAKEFLAGS": "-j2"]
        let seen = variables(try await run([], ["env"], environment: given))
        #expect(given.allSatisfy { seen[$0.key] == $0.value }, "\(seen)")
        let flags = ["MAKEFLAGS": " -j4 --jobserver-auth=3,4"]
        #expect(variables(try await run([], ["env"], environment: flags))["MAKEFLAGS"] == nil)
    }

    @Test func `proxies and certificates go where the network goes`() async throws {
        try Data().write(to: folder.url.appending(path: "other/ca.pem"))
        let given = ["HTTPS_PROXY": "http://proxy:1", "no_proxy": "a.b", "SSL_CERT_FILE": "\(place)/other/ca.pem"]
        #expect(variables(try await run([], ["env"], environment: given))["HTTPS_PROXY"] == nil)
        let ran = try await run(["--allow", "network"], ["env"], environment: given)
        let seen = variables(ran)
        #expect(given.allSatisfy { seen[$0.key] == $0.value }, "\(ran)")
        let note = "annex: note: SSL_CERT_FILE names \(place)/other/ca.pem, which was not handed over: add --read "
        #expect(ran.errors.contains(note + "\(place)/other/ca.pem"), "\(ran.errors)")
        let whole = try await run(["--allow", "network", "--read", "other"], ["env"], environment: given)
        #expect(!whole.errors.contains("SSL_CERT_FILE"), "\(whole.errors)")
    }

    @Test func `a working directory that is named by a link is the directory to which it leads`() async throws {
        try FileManager.default.createSymbolicLink(
            at: folder.url.appending(path: "link"), withDestinationURL: folder.url.appending(path: "tools"))
        for options in [["--read", "tools"], ["--read", "link"]] {
            let ran = try await run(options + ["--directory", "link"], ["sh", "-c", "pwd -P; ls"])
            #expect(ran.output == "\(place)/tools\nannex-tool\n", "\(ran)")
        }
        // The caller went through a link that the sandbox has.
        let line = "cd link && exec \"$0\" run --read \"$PWD\" -- sh -c pwd"
        let annex = ExampleBundles.products.appending(path: "annex").path
        let went = try await Program.run(
            "/bin/sh", ["-c", line, annex], in: folder, environment: ["PWD": place])
        #expect(went.output == "\(place)/link\n", "\(went)")
    }

    @Test func `the help names the variables that are kept and the limits`() async throws {
        let help = try await Program.annex("run", "--help", in: folder)
        let words = help.output.split { " \n".contains($0) }.joined(separator: " ")
        for part in [
            "Kept: ", " LC_* ", " CC ", "HTTPS_PROXY", "All others are dropped", "--timeout 10min", "processor ",
        ] {
            #expect(words.contains(part), "\(part)")
        }
    }

    @Test(arguments: [
        ("descriptors=4000", "at most 768"), ("output=3M", "your own streams"), ("messages=3", "for extensions"),
        ("watchdog=3s", "for extensions"), ("keep-alive=1s", "for extensions"),
    ])
    func `a limit without an effect is refused with the reason`(limit: String, reason: String) async throws {
        let ran = try await run(["--limit", limit], ["true"])
        #expect(ran.status == 64 && ran.errors.contains(reason), "\(ran)")
    }

    @Test func `a limit above the callers own hard limit is refused`() async throws {
        let annex = ExampleBundles.products.appending(path: "annex").path
        let line = "ulimit -n 500; \(annex) run --limit descriptors=600 -- true"
        let ran = try await Program.run("/bin/sh", ["-c", line], in: folder)
        #expect(ran.status == 64 && ran.errors.contains("ulimit -Hn"), "\(ran)")
        let fits = try await Program.run("/bin/sh", ["-c", line.replacing("600", with: "400")], in: folder)
        #expect(fits.status == 0, "\(fits)")
    }
}
