import AnnexBundle
import AnnexService
import Foundation
import Testing

@testable import AnnexBroker

@Suite struct RegistryTests {
    /// Makes an app with one extension in a folder of its own, and opens it.
    private func app(_ identifier: String, carrying extensionIdentifier: String) throws -> AppBundle {
        let folder = FileManager.default.temporaryDirectory.appending(path: "annex-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let app = folder.appending(path: "App.app")
        try part(app, identifier, more: "")
        try part(
            app.appending(path: "PlugIns/Part.appex"), extensionIdentifier,
            more: """
                <key>NSExtension</key><dict>
                <key>NSExtensionPointIdentifier</key><string>com.apple.ui-services</string>
                <key>NSExtensionPrincipalClass</key><string>Part</string></dict>
                """)
        return try AppBundle.open(app.path)
    }

    private func part(_ folder: URL, _ identifier: String, more: String) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: "/bin/true", toPath: folder.appending(path: "Program").path)
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict>
            <key>CFBundleIdentifier</key><string>\(identifier)</string>
            <key>CFBundleName</key><string>App</string>
            <key>CFBundleExecutable</key><string>Program</string>\(more)
            </dict></plist>
            """
        try Data(text.utf8).write(to: folder.appending(path: "Info.plist"))
    }

    @Test func `P3: no app takes over an extension of another one`() throws {
        var registry = Registry()
        try registry.install(app("com.a", carrying: "com.a.b.c"))
        #expect(throws: ServiceError.self) { try registry.install(app("com.a.b", carrying: "com.a.b.c")) }
        #expect(registry.bundle("com.a.b.c")?.containingApp == "com.a")
        // The same app may come again.
        try registry.install(app("com.a", carrying: "com.a.b.c"))
    }
}
