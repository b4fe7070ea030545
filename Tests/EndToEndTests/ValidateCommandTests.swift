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

    @Test func `P10: without an app, or with an unknown option, the command line is not understood`() async throws {
        #expect(try await Program.annex("validate", in: folder).status == 64)
        #expect(try await Program.annex("validate", "--fix", "x.app", in: folder).status == 64)
    }
}
