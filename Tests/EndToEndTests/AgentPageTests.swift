import AnnexTestSupport
import Foundation
import Testing

/// The commands of the page Agents.md, with a script in place of the agent.
@Suite(.timeLimit(.minutes(20))) struct AgentPageTests {
    private let folder: TemporaryFolder
    private let home: URL
    private let project: URL

    /// What an agent does: it reads, changes, builds, tests and commits. Then it tries what is closed.
    private static let agent = """
        #!/bin/sh
        grep -q question README && echo 42 >answer && chmod +x test.sh && ./test.sh && echo tested
        git add -A && git commit -qm 'Answer' && git log -1 --format='%an %s'
        git status --short
        echo kept >>~/.cache/agent/state && cat ~/.cache/agent/state
        cat ~/.ssh/id_ed25519 ../other/secret 2>&- || echo closed
        echo 'touch /tmp/owned' >.git/hooks/pre-push 2>&- || echo hooks
        echo more >>.git/config 2>&- || echo config
        echo more >>~/.gitconfig 2>&- || echo gitconfig
        python3 -c 'import socket; socket.create_connection(("127.0.0.1", 22))' 2>&- || echo network
        """

    init() throws {
        folder = try TemporaryFolder()
        home = folder.url.appending(path: "home")
        project = home.appending(path: "project")
        let manager = FileManager.default
        for name in ["project", "bin", ".ssh", "other"] {
            try manager.createDirectory(at: home.appending(path: name), withIntermediateDirectories: true)
        }
        for (name, text) in [
            ("bin/agent", Self.agent), ("bin/server", "#!/bin/sh\nread line; echo \"answer to $line\"\n"),
            (".gitconfig", "[user]\n\tname = Ana\n\temail = ana@example.org\n"), (".ssh/id_ed25519", "secret\n"),
            ("other/secret", "secret\n"), ("project/README", "The question\n"),
            ("project/test.sh", "#!/bin/sh\ntest \"$(cat answer)\" = 42\n"),
        ] {
            try text.write(to: home.appending(path: name), atomically: true, encoding: .utf8)
        }
        for name in ["bin/agent", "bin/server"] {
            try manager.settle(home.appending(path: name), mode: 0o755)
        }
    }

    private static func page() throws -> String {
        let root = URL(filePath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        return try String(contentsOf: root.appending(path: "Docs/Guide/Agents.md"), encoding: .utf8)
    }

    /// The commands of the page that contain these words.
    private static func commands(with words: String) throws -> String {
        let blocks = try page().components(separatedBy: "\n```\n").filter { block in
            ["annex run ", "mkdir "].contains { block.hasPrefix($0) }
        }
        return try #require(blocks.first { $0.contains(words) })
    }

    private func shell(_ line: String) async throws -> Program {
        let products = ExampleBundles.products.path
        let path = "\(products):\(home.path)/bin:" + (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")
        let line = "cd \"$HOME/project\" && " + line
        return try await Program.run(
            "/bin/sh", ["-c", line], in: folder, environment: ["HOME": home.path, "PATH": path])
    }

    @Test(.enabled(if: Program.isThere(tool: "git"), "this machine has no git"))
    func `the agent of the page works in its project and everything else is closed`() async throws {
        let made = try await shell("git init -q && git add -A && git commit -qm Begin")
        #expect(made.status == 0, "\(made)")
        let said = try await shell(Self.commands(with: "--write-execute"))
        let wanted = "tested\nAna Answer\nkept\nclosed\nhooks\nconfig\ngitconfig\nnetwork\n"
        #expect(said.output == wanted, "\(said)")
        #expect(try await shell("git log -1 --format=%s; cat ~/.cache/agent/state").output == "Answer\nkept\n")
    }

    @Test func `the server of the page answers and ends with its client`() async throws {
        let command = try Self.commands(with: "--end-with-parent")
        let said = try await shell("echo question | \(command)")
        #expect(said.output == "answer to question\n", "\(said)")
    }

    @Test func `the events of the page are lines of JSON`() async throws {
        let command = try Self.commands(with: "--json-events").replacingOccurrences(of: "-- agent", with: "-- true")
        let said = try await shell(command + " && cat events.jsonl")
        #expect(said.output.contains("\"event\":\"ended\"") && said.status == 0, "\(said)")
    }
}
