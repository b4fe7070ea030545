import AnnexTestSupport
import Foundation
import Testing

/// `annex bundle`.
@Suite(.timeLimit(.minutes(20))) struct BundleCommandTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        let app = try MadeApp("$(PREFIX).app", carrying: ["$(PREFIX).app.part"])
        try FileManager.default.copyItem(atPath: app.path, toPath: path("Layout"))
        try FileManager.default.createDirectory(atPath: path("bin"), withIntermediateDirectories: true)
        try FileManager.default.moveItem(atPath: path("Layout/Program"), toPath: path("bin/Program"))
    }

    private func path(_ name: String) -> String { folder.url.appending(path: name).path }

    private func bundle(_ arguments: String...) async throws -> Program {
        try await Program.annex(["bundle"] + arguments, in: folder)
    }

    @Test func `P2: an app is made, validated and then accepted`() async throws {
        let ran = try await bundle(
            "Layout", "--programs", "bin", "--out", "New.app", "--set", "PREFIX=com.example", "--set",
            "Part0.appex:UNUSED=x")
        #expect(ran.status == 0 && ran.output.contains("✓ New.app"), "\(ran)")
        #expect(try await Program.annex("validate", "New.app", in: folder).status == 0)
        let info = try String(contentsOf: folder.url.appending(path: "New.app/Info.plist"), encoding: .utf8)
        #expect(info.contains("<string>com.example.app</string>"))
    }

    @Test func `P2: a setting that is missing is an error of the new app`() async throws {
        let ran = try await bundle("Layout", "--programs", "bin", "--out", "New.app", "--json")
        #expect(ran.status == 1 && ran.output.contains("$(PREFIX).app"), "\(ran)")
        #expect(FileManager.default.fileExists(atPath: path("New.app/Info.plist")))
    }

    @Test func `P10: an entitlement that the point does not allow is an error of the new app`() async throws {
        let text = "<plist version=\"1.0\"><dict><key>com.apple.security.camera</key><true/></dict></plist>"
        try Data(text.utf8).write(to: folder.url.appending(path: "Layout/PlugIns/Part0.appex/Program.entitlements"))
        let ran = try await bundle("Layout", "--programs", "bin", "--out", "New.app", "--set", "PREFIX=com.example")
        #expect(ran.status == 1 && ran.output.contains("com.apple.security.camera"), "\(ran)")
    }

    @Test func `an app that is there is replaced only with force`() async throws {
        let arguments = ["bundle", "Layout", "--programs", "bin", "--out", "New.app", "--set", "PREFIX=com.example"]
        #expect(try await Program.annex(arguments, in: folder).status == 0)
        let again = try await Program.annex(arguments, in: folder)
        #expect(again.status == 1 && again.errors.contains("exists already"), "\(again)")
        #expect(try await Program.annex(arguments + ["--force"], in: folder).status == 0)
    }

    @Test func `a program that was not built is named`() async throws {
        let ran = try await bundle("Layout", "--programs", "nowhere", "--out", "New.app")
        #expect(ran.status == 1 && ran.errors.contains("nowhere/Program") && ran.errors.contains("build it"), "\(ran)")
        #expect(!FileManager.default.fileExists(atPath: path("New.app")))
    }

    @Test(arguments: [
        ["Layout"], ["Layout", "--out", "New"], ["Layout", "--out", "New.app", "--set", "x"],
        ["Layout", "--out", "New.app", "--program", "x"], ["Layout", "--out", "New.app", "--programs", "x86_64="],
        ["Layout", "--out", "New.app", "--fast"],
    ])
    func `a command line that cannot be understood ends with 64`(arguments: [String]) async throws {
        let ran = try await Program.annex(["bundle"] + arguments, in: folder)
        #expect(ran.status == 64, "\(ran)")
    }
}
