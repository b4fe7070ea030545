import AnnexTestSupport
import Foundation
import Testing

/// `annex list --for`, as a shell sees it.
@Suite(.timeLimit(.minutes(20))) struct ListOffersTests {
    private let folder: TemporaryFolder
    private let app: MadeApp

    init() throws {
        folder = try TemporaryFolder()
        for name in ["a.jpg", "b.jpg", "c.pdf"] { try Data().write(to: folder.url.appending(path: name)) }
        app = try MadeApp("com.example.app", carrying: ["com.example.app.one", "com.example.app.two"])
        try give(
            "Part0", rule: "<dict><key>NSExtensionActivationSupportsImageWithMaxCount</key><integer>1</integer></dict>")
        try give("Part1", rule: "<string>extensionItems.@number == 1</string>")
    }

    private func give(_ part: String, rule: String) throws {
        let info = app.path + "/PlugIns/\(part).appex/Info.plist"
        let text = try String(contentsOfFile: info, encoding: .utf8)
        let attributes = "<key>NSExtensionAttributes</key><dict><key>NSExtensionActivationRule</key>\(rule)</dict>"
        let point = "<key>NSExtensionPointIdentifier</key>"
        try #require(text.contains(point))
        try text.replacingOccurrences(of: point, with: attributes + point)
            .write(toFile: info, atomically: false, encoding: .utf8)
    }

    private func list(_ arguments: String...) async throws -> Program {
        try await Program.annex(["list"] + arguments, in: folder)
    }

    @Test func `A1: offered extensions are printed and each other one with its reason`() async throws {
        let one = try await list("--for", "a.jpg", "--app", app.path)
        #expect(one.status == 0 && one.output.hasPrefix("com.example.app.one  "), "\(one)")
        let two = try await list("--for", "a.jpg", "b.jpg", "--app", app.path)
        #expect(two.status == 0 && two.output.contains("it takes 1 pictures at most, not 2"), "\(two)")
        #expect(two.output.hasPrefix("no extension is offered\n"), "\(two)")
    }

    @Test func `A3: a file of a type that the app declares is offered as its kind`() async throws {
        let info = app.path + "/Info.plist"
        let text = try String(contentsOfFile: info, encoding: .utf8)
        let declared = """
            <key>UTExportedTypeDeclarations</key><array><dict><key>UTTypeIdentifier</key><string>com.example.sketch</string>
            <key>UTTypeConformsTo</key><string>public.image</string><key>UTTypeTagSpecification</key>
            <dict><key>public.filename-extension</key><string>sketch</string></dict></dict></array>
            """
        try text.replacingOccurrences(of: "<dict>\n", with: "<dict>\n" + declared)
            .write(toFile: info, atomically: false, encoding: .utf8)
        try Data().write(to: folder.url.appending(path: "d.sketch"))
        let ran = try await list("--for", "d.sketch", "--app", app.path)
        #expect(ran.output.hasPrefix("com.example.app.one  "), "\(ran)")
    }

    @Test func `A2: the offers are printed as JSON and an error of a predicate has its column`() async throws {
        let ran = try await list("--for", "a.jpg", "--url", "https://example.com", "--app", app.path, "--json")
        #expect(ran.status == 0, "\(ran)")
        let object = try #require(try JSONSerialization.jsonObject(with: Data(ran.output.utf8)) as? [String: Any])
        let offered = try #require(object["offered"] as? [[String: String]])
        let others = try #require(object["others"] as? [[String: String]])
        #expect(offered == [["id": "com.example.app.one"]])
        #expect(others.first?["id"] == "com.example.app.two" && others.first?["why"]?.contains("column 16") == true)
    }

    @Test func `a missing file and a wrong command line have exit statuses of their own`() async throws {
        #expect(try await list("--for", "missing.jpg", "--app", app.path).status == 66)
        #expect(try await list("--app", app.path).status == 64)
        #expect(try await list("--text", "hello", "--app", app.path, "--system").status == 64)
        #expect(try await list("--text", "hello", "--app", app.path, "--all").status == 64)
    }
}
