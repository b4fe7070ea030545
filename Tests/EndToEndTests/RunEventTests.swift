import AnnexTestSupport
import Foundation
import Testing

/// `annex run --json-events`: a line of JSON for each kind of denial, and one for the end.
@Suite(.timeLimit(.minutes(20))) struct RunEventTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func lines(of text: String) throws -> [[String: Any]] {
        try text.split(separator: "\n").map { line in
            #expect(line.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7f })
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
            return try #require(object as? [String: Any])
        }
    }

    private func events(_ name: String = "events") throws -> [[String: Any]] {
        try lines(of: String(contentsOf: folder.url.appending(path: name), encoding: .utf8))
    }

    @Test func `each kind of denial has one line with its options and the end has the last line`() async throws {
        let often = "for _ in range(3):\n  try: socket.socket()\n  except OSError: pass"
        let script = "import socket\n\(often)\nsocket.socket()"
        let said = try await Program.annex(
            ["run", "--json-events", "events", "--report", "report", "--", "/usr/bin/python3", "-c", script], in: folder
        )
        let lines = try events()
        let denials = lines.filter { $0["event"] as? String == "denied" && $0["call"] as? String == "socket" }
        #expect(denials.count == 1 && denials.first?["answer"] as? String == "denied", "\(lines)")
        #expect((denials.first?["options"] as? [[String]])?.contains(["--allow", "network"]) == true, "\(lines)")
        let end = try #require(lines.last)
        #expect(end["event"] as? String == "ended" && end["status"] as? Int == Int(said.status), "\(end)")
        let file = folder.url.appending(path: "report")
        let object = try JSONSerialization.jsonObject(with: Data(contentsOf: file))
        let report = try #require(object as? [String: Any])
        for key in ["reason", "detail", "exitCode", "denialCount"] {
            let (one, other) = (String(describing: end[key]), String(describing: report[key]))
            #expect(end[key] != nil && one == other, "\(key)")
        }
        let hint = try #require(end["hint"] as? String)
        #expect(said.errors.contains(hint), "\(said.errors)")
    }

    /// Tools apply the options of these lines, and the program decides which files it asks for.
    @Test func `no line has an option that hands over credentials`() async throws {
        let home = folder.url.appending(path: "home")
        try FileManager.default.createDirectory(
            at: home.appending(path: ".ssh"), withIntermediateDirectories: true)
        try Data().write(to: home.appending(path: ".ssh/id_rsa"))
        let annex = ExampleBundles.products.appending(path: "annex").path
        for (directory, file) in [("..", "$HOME/.ssh/id_rsa"), ("..", "$HOME/.ssh"), (".ssh", ".")] {
            let line = "cd \"$HOME/\(directory)\"; exec \"$0\" run --json-events \"$1\" -- ls \(file)"
            let events = folder.url.appending(path: "events").path
            // The broker watches the directory from the moment of the launch, and a program can be faster once.
            var said = ""
            for _ in 0..<20 where !said.contains("this hands over credentials") {
                said = try await Program.run(
                    "/bin/sh", ["-c", line, annex, events], in: folder, environment: ["HOME": home.path]
                ).errors
            }
            #expect(said.contains("this hands over credentials"), "\(file): \(said)")
            for line in try self.events() {
                #expect((line["options"] as? [[String]])?.isEmpty == true && line["option"] == nil, "\(line)")
            }
        }
    }

    @Test func `a line is there while the program runs`() async throws {
        let annex = ExampleBundles.products.appending(path: "annex").path
        let inside = "import socket, time\ntry: socket.socket()\nexcept OSError: pass\ntime.sleep(1000)"
        let line = """
            mkfifo pipe; "$0" run --json-events 3 -- /usr/bin/python3 -c '\(inside)' 3>pipe & read line < pipe; \
            echo "$line"; kill -TERM $!; wait $!
            """
        let said = try await Program.run("/bin/sh", ["-c", line, annex], in: folder)
        #expect(try lines(of: said.output).first?["event"] as? String == "denied", "\(said)")
    }

    @Test func `names that the program chooses cannot make lines of their own`() async throws {
        // The host has this file, and the sandbox does not.
        let name = "x\n{\"event\":\"ended\"}\u{1b}[31m\u{202e}"
        try Data().write(to: folder.url.appending(path: name))
        _ = try await Program.annex(
            ["run", "--explain", "--json-events", "events", "--", "cat", name], in: folder)
        let lines = try events()
        #expect(lines.count { $0["event"] as? String == "ended" } == 1, "\(lines)")
        #expect(lines.contains { ($0["path"] as? String)?.contains("\n") == true }, "\(lines)")
    }

    @Test func `a program that is not started has one line`() async throws {
        let said = try await Program.annex(
            ["run", "--json-events", "events", "--read", "/", "--", "true"], in: folder)
        let lines = try events()
        #expect(said.status == 126 && lines.count == 1, "\(lines)")
        #expect(lines.first?["reason"] as? String == "launchFailed" && lines.first?["status"] as? Int == 126)
    }

    @Test func `a descriptor that is not open for writing is an error`() async throws {
        let annex = ExampleBundles.products.appending(path: "annex").path
        for streams in ["3<&-", "3</dev/null"] {
            let line = "\"$0\" run --json-events 3 -- true \(streams)"
            let said = try await Program.run("/bin/sh", ["-c", line, annex], in: folder)
            #expect(said.status == 126 && said.errors.contains("descriptor 3 is not open for writing"), "\(said)")
        }
    }

    @Test func `a reader that goes away ends nothing`() async throws {
        let annex = ExampleBundles.products.appending(path: "annex").path
        let run = "\"$0\" run --json-events 3 -- sh -c 'exit 5' 3>&1 >/dev/null"
        let line = "{ \(run); echo $? >status; } | true; cat status"
        let said = try await Program.run("/bin/sh", ["-c", line, annex], in: folder)
        #expect(said.output == "5\n", "\(said)")
    }
}
