import AnnexTestSupport
import Foundation
import Testing

/// Words of the command line can be names of files, which a shell put in place of `*`. Another program may have chosen
/// these names. So no command repeats them as they are.
@Suite(.timeLimit(.minutes(20))) struct ShownTextTests {
    /// It sets a title, begins sequences of eight bits, reverses the text and contains invisible characters.
    private static let name =
        "a\u{1B}]0;x\u{7}\u{9B}2J\u{7F}\u{202E}b\u{2066}c\u{200B}\u{200F}\u{61C}\u{FEFF}d"

    private func isPlain(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            scalar == "\n" || ![.control, .format].contains(scalar.properties.generalCategory)
        }
    }

    @Test func `a report of annex run has the words of the command line in an escaped form`() async throws {
        let folder = try TemporaryFolder()
        let ran = try await Program.annex(["run", "--report", "end.json", "--", "true", Self.name], in: folder)
        #expect(ran.status == 0, "\(ran.errors)")
        let data = try Data(contentsOf: folder.url.appending(path: "end.json"))
        #expect(data.allSatisfy { (0x20..<0x7F).contains($0) || $0 == 0x0A })
        let report = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect(report["program"] as? [String] == ["true", Self.name])
    }

    @Test func `JSON on standard output has paths in an escaped form`() async throws {
        let folder = try TemporaryFolder()
        let place = folder.url.resolvingSymlinksInPath().path + "/" + Self.name
        let commands: [(words: [String], environment: [String: String])] = [
            (["validate", "--json", place], [:]), (["reports", "--json"], ["ANNEX_REPORTS": place]),
            (["policy", "lint", "--json", "--policies", place, "tool"], [:]),
        ]
        for (words, environment) in commands {
            let ran = try await Program.run("annex", words, in: folder, environment: environment)
            #expect(ran.output.utf8.allSatisfy { (0x20..<0x7F).contains($0) || $0 == 0x0A }, "\(words): \(ran.output)")
            #expect(isPlain(ran.errors), "\(words)")
        }
        let reports = try await Program.run(
            "annex", ["reports", "--json"], in: folder, environment: commands[1].environment)
        let object = try JSONSerialization.jsonObject(with: Data(reports.output.utf8)) as? [String: Any]
        #expect(object?["folder"] as? String == place, "\(reports)")
    }

    @Test(arguments: [
        ["run", "--\(name)", "true"], ["run", "--timeout", name, "true"], ["run", "--", name],
        ["run", "--read", name, "true"],
        ["validate", "--\(name)"], ["validate", name], ["list", name], ["doctor", name], ["replay", name], [name],
        ["policy", "explain", name], ["policy", "test", name], ["policy", "lint", name],
        ["policy", "diff", name, name],
        ["point", "show", name], ["point", "lint", name], ["request", name], ["share", name], ["open", name],
        ["reports", name], ["install", name], ["sign", name], ["bundle", name], ["top", name], ["bench", name],
        ["group", "show", name], ["key", "show", name], ["policy", "import", name], ["attack", name],
    ])
    func `no message repeats a word that controls a terminal`(words: [String]) async throws {
        let ran = try await Program.annex(words, in: TemporaryFolder())
        #expect(!(ran.output + ran.errors).isEmpty && isPlain(ran.output) && isPlain(ran.errors), "\(ran)")
    }
}
