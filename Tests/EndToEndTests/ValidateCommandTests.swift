import AnnexTestSupport
import Foundation
import Testing

/// `annex validate`.
@Suite(.timeLimit(.minutes(20))) struct ValidateCommandTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func `P10: an app without errors is accepted`() async throws {
        let app = try MadeApp("com.example.app", carrying: ["com.example.app.part"])
        let ran = try await Program.annex("validate", app.path, in: folder)
        #expect(ran.status == 0 && ran.errors.isEmpty, "\(ran)")
        #expect(ran.output.contains("✓ ") && !ran.output.contains("error:"), "\(ran)")
    }

    @Test func `P10: all errors of several apps are printed with file, key, rule and remedy`() async throws {
        let broken = try MadeApp("com.example.app", carrying: ["com.example.other", "com.example.app.part"])
        chmod(broken.path + "/PlugIns/Part1.appex/Program", 0o775)
        let ran = try await Program.annex("validate", broken.path, "/no/such.app", in: folder)
        #expect(ran.status == 1, "\(ran)")
        for words in [
            "error: App.app/PlugIns/Part0.appex/Info.plist: CFBundleIdentifier: is com.example.other", "(P3)",
            "error: App.app/PlugIns/Part1.appex/Program: can be changed by its group (P7)", "remedy  chmod g-w it",
            "error: such.app: cannot be opened as a directory",
        ] { #expect(ran.output.contains(words), "\(ran)") }
    }

    @Test(arguments: [".", "./", "PlugIns/.."])
    func `P10: an app is validated in its own directory`(path: String) async throws {
        let app = try MadeApp("com.example.app", carrying: ["com.example.app.part"])
        let annex = ExampleBundles.products.appending(path: "annex").path
        let ran = try await Program.run(
            "/bin/sh", ["-c", #"cd "$1" && exec "$2" validate "$3""#, "sh", app.path, annex, path], in: folder)
        #expect(ran.status == 0 && !ran.output.contains("error:"), "\(ran)")
    }

    @Test func `P10: the findings are printed as JSON`() async throws {
        let app = try MadeApp("com.example.app", carrying: ["com.example.other"])
        let ran = try await Program.annex("validate", app.path, "--json", in: folder)
        #expect(ran.status == 1, "\(ran)")
        let object = try JSONSerialization.jsonObject(with: Data(ran.output.utf8)) as? [String: Any]
        let one = try #require((object?["apps"] as? [[String: Any]])?.first)
        #expect(one["app"] as? String == app.path && one["isAccepted"] as? Bool == false)
        let findings = try #require(one["findings"] as? [[String: Any]])
        let error = try #require(findings.first { $0["severity"] as? String == "error" })
        #expect(error["file"] as? String == "App.app/PlugIns/Part0.appex/Info.plist")
        #expect(error["key"] as? String == "CFBundleIdentifier" && error["rule"] as? String == "P3")
        #expect((error["remedy"] as? String)?.contains("start it with com.example.app.") == true)
        #expect((one["omitted"] as? Int) == 0)
    }

    @Test func `P10: JSON has the true names of files`() async throws {
        let app = try MadeApp("com.example.app", carrying: ["com.example.app.part"])
        let name = "a\u{1B}\u{202E}\\u{1b}b"
        try Data().write(to: URL(filePath: app.path + "/" + name))
        let ran = try await Program.annex("validate", app.path, "--json", in: folder)
        #expect(ran.output.utf8.allSatisfy { (0x20..<0x7F).contains($0) || $0 == 0x0A }, "\(ran)")
        let object = try JSONSerialization.jsonObject(with: Data(ran.output.utf8)) as? [String: Any]
        let one = try #require((object?["apps"] as? [[String: Any]])?.first)
        let files = (one["findings"] as? [[String: Any]])?.compactMap { $0["file"] as? String } ?? []
        #expect(files.contains("App.app/\(name)"), "\(files)")
        let shown = try await Program.annex("validate", app.path, in: folder)
        #expect(shown.output.contains(#"App.app/a\u{1b}\u{202e}\\u{1b}b"#), "\(shown)")
    }

    @Test func `P10: each entitlement that the point does not allow is an error`() async throws {
        let app = try MadeApp("com.example.app", carrying: ["com.example.app.part", "com.example.app.two"])
        let (camera, client) = ("com.apple.security.camera", "com.apple.security.network.client")
        let write = "com.apple.security.files.user-selected.read-write"
        let info = app.path + "/PlugIns/Part0.appex/Info.plist"
        let text = try String(contentsOfFile: info, encoding: .utf8)
        try Data(text.replacing("ui-services", with: "photo-editing").utf8).write(to: URL(filePath: info))
        try app.setEntitlements([camera, client, write])
        let ran = try await Program.annex("validate", app.path, in: folder)
        let lines = ran.output.split(separator: "\n").filter { $0.contains("Part0.appex/Program.entitlements") }
        #expect(ran.status == 1 && lines.count == 2, "\(ran)")
        for name in [camera, write] {
            let words =
                "error: App.app/PlugIns/Part0.appex/Program.entitlements: \(name): is not allowed to extensions of "
            #expect(lines.contains { $0.hasPrefix(words + "com.apple.photo-editing (entitlements)") }, "\(ran)")
        }
        #expect(ran.output.contains("The point allows com.apple.security.application-groups"), "\(ran)")
    }

    @Test func `P10: the points of a folder decide about its extensions`() async throws {
        let app = try MadeApp("com.example.app", carrying: ["com.example.app.part"])
        let client = "com.apple.security.network.client"
        let info = app.path + "/PlugIns/Part0.appex/Info.plist"
        let text = try String(contentsOfFile: info, encoding: .utf8)
        try Data(text.replacing("com.apple.ui-services", with: "org.example.p").utf8).write(to: URL(filePath: info))
        try app.setEntitlements([client])
        let points = folder.url.appending(path: "points")
        try FileManager.default.createDirectory(
            at: points, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        func validated(allowing entitlements: String) async throws -> Program {
            let file = points.appending(path: "org.example.p.yaml")
            let text =
                "point: org.example.p\nname: a\nsummary: b\npolicy: compute\nentitlements: { allowed: [\(entitlements)] }\n"
            try Data(text.utf8).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
            return try await Program.annex("validate", app.path, "--points", points.path, in: folder)
        }
        let unknown = try await Program.annex("validate", app.path, in: folder)
        #expect(unknown.status == 0 && unknown.output.contains("warning: "), "\(unknown)")
        #expect(
            unknown.output.contains("NSExtensionPointIdentifier: is org.example.p, which is not an extension point"))
        let refused = try await validated(allowing: "")
        #expect(
            refused.status == 1 && refused.output.contains("\(client): is not allowed to extensions of org.example.p"))
        #expect(try await validated(allowing: client).status == 0)
        let wrong = try await validated(allowing: "no.such")
        #expect(wrong.status == 2 && wrong.errors.contains("org.example.p.yaml"), "\(wrong)")
    }

    @Test func `P10: without an app, or with an unknown option, the command line is not understood`() async throws {
        #expect(try await Program.annex("validate", in: folder).status == 64)
        #expect(try await Program.annex("validate", "--fix", "x.app", in: folder).status == 64)
    }
}
