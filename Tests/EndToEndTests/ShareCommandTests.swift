import AnnexTestSupport
import Foundation
import Testing

/// `annex share`, as a shell sees it, with the examples MyPicture and Translate.
@Suite(.timeLimit(.minutes(20))) struct ShareCommandTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        for name in ["sea", "sun"] {
            try Data(PictureStart.png(width: 64, height: 48)).write(to: folder.url.appending(path: "\(name).png"))
        }
    }

    /// Types the lines into `annex share`, which has both examples.
    private func share(_ arguments: String, typing lines: String...) async throws -> Program {
        let apps = try ["MyPicture.app", "Translate.app"].map { "--app '\(try ExampleBundles.path(of: $0))'" }
        let annex = ChildProcess.executable("annex").path
        let typed = lines.map { "'\($0)'" }.joined(separator: " ")
        let feed = lines.isEmpty ? "true" : "printf '%s\\n' \(typed)"
        return try await Program.run(
            "/bin/sh", ["-c", "\(feed) | '\(annex)' share \(arguments) \(apps.joined(separator: " "))"], in: folder)
    }

    @Test func `a sheet is filled in and posted`() async throws {
        let ran = try await share("sea.png sun.png", typing: "1", "On the beach", "1", "2", ":post")
        #expect(ran.status == 0, "\(ran)")
        #expect(ran.output.hasPrefix("Share   [1] MyPicture\n"), "\(ran)")
        #expect(ran.output.contains("│ Say something about the pictures"), "\(ran)")
        #expect(ran.output.contains("  [1] Everyday  ✓\n  [2] Holiday\n"), "\(ran)")
        let answer = "On the beach\nbytes: \(2 * size)\ncategory: Holiday\npictures: 2\n"
        // A broker inside a host keeps no transfers, so that nothing is uploaded here.
        #expect(ran.output.contains(answer + "upload: none: it needs annexd"), "\(ran)")
    }

    private var size: Int { PictureStart.png(width: 64, height: 48).count }

    @Test func `an action without a sheet answers at once`() async throws {
        let ran = try await share("--text 'good morning dog'", typing: "1")
        #expect(ran.status == 0 && ran.output == "Action  [1] Translate\nguten Morgen Hund\n", "\(ran)")
    }

    @Test func `a text that is too long is not posted`() async throws {
        let ran = try await share("sea.png", typing: "1", String(repeating: "x", count: 201), ":post", "short", ":post")
        #expect(ran.status == 0 && ran.output.contains("-1 left, cannot be posted yet"), "\(ran)")
        #expect(ran.output.contains("the extension does not accept this text yet\n"), "\(ran)")
        #expect(ran.output.contains("\nshort\n"), "\(ran)")
    }

    @Test(arguments: [[":cancel"], ["1", ":cancel"], ["1", "text"], []])
    func `a sheet that is given up shares nothing`(_ lines: [String]) async throws {
        let typed = lines.map { "'\($0)'" }.joined(separator: " ")
        let app = try ExampleBundles.path(of: "MyPicture.app")
        let annex = ChildProcess.executable("annex").path
        let feed = lines.isEmpty ? "true" : "printf '%s\\n' \(typed)"
        let ran = try await Program.run(
            "/bin/sh", ["-c", "\(feed) | '\(annex)' share sea.png --app '\(app)'"], in: folder)
        #expect(ran.status == 1 && ran.errors == "annex: given up: nothing was shared\n", "\(ran)")
    }

    @Test func `ten pictures for a rule of nine are offered to no extension`() async throws {
        for number in 0..<10 {
            try Data(PictureStart.png(width: 1, height: 1)).write(to: folder.url.appending(path: "\(number).png"))
        }
        let nine = try await share("0.png 1.png 2.png 3.png 4.png 5.png 6.png 7.png 8.png", typing: "1", ":post")
        #expect(nine.status == 0 && nine.output.contains("\npictures: 9\n"), "\(nine)")
        let ten = try await share("?.png", typing: "1", ":post")
        #expect(ten.status == 1 && ten.errors.contains("no share extension or action takes these things"), "\(ten)")
    }

    @Test func `JSON leaves standard output to the answer`() async throws {
        let ran = try await share("sea.png --json", typing: "1", "Hello", ":post")
        #expect(ran.status == 0, "\(ran)")
        let answer = try #require(try JSONSerialization.jsonObject(with: Data(ran.output.utf8)) as? [String: Any])
        let items = try #require(answer["items"] as? [[String: Any]])
        #expect(items.first?["text"] as? String == "Hello" && answer["end"] as? String == "completed", "\(ran)")
        #expect(ran.errors.contains("[1] MyPicture"), "\(ran)")
    }

    @Test func `wrong command lines and missing files are named`() async throws {
        let nothing = try await share("", typing: "1")
        #expect(nothing.status == 64 && nothing.errors.contains("nothing to share"), "\(nothing)")
        let missing = try await share("absent.png", typing: "1")
        #expect(missing.status == 66 && missing.errors.contains("absent.png"), "\(missing)")
    }
}
