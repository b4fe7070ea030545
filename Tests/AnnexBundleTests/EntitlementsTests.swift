import AnnexBundle
import Foundation
import Testing

/// The entitlements that a bundle asks for.
@Suite(.timeLimit(.minutes(20))) struct EntitlementsTests {
    private let file = "PlugIns/Editor.appex/Editor.entitlements"

    private func asking(_ entries: String) throws -> TestApp {
        let test = try TestApp()
        try test.write(TestApp.plist(entries), to: file)
        return test
    }

    @Test func `the entitlements of an app and of an extension are read`() throws {
        let test = try asking(
            """
            <key>com.apple.security.app-sandbox</key><true/>
            <key>com.apple.security.application-groups</key><array><string>group.com.example.pictures</string></array>
            <key>com.apple.security.files.user-selected.read-write</key><false/>
            <key>com.apple.security.network.client</key><true/>
            <key>keychain-access-groups</key><array><string>x</string></array>
            """)
        let app = try AppBundle.open(test.path)
        #expect(app.entitlements == .none)
        let found = try #require(app.extensions.first).entitlements
        #expect(found.applicationGroups == ["group.com.example.pictures"])
        #expect(found.asks(for: .networkClient) && found.asks(for: .appSandbox) && !found.asks(for: .writeUserSelected))
        #expect(found.unknown == ["keychain-access-groups"] && found.names.count == 4)
        try test.write(
            TestApp.plist("<key>com.apple.security.network.client</key><true/>"), to: "Pictures.entitlements")
        #expect(try AppBundle.open(test.path).entitlements.names == ["com.apple.security.network.client"])
    }

    @Test func `an entitlement that Annex does not know, or a sandbox switched off, is a warning`() throws {
        let test = try asking(
            "<key>aps-environment</key><string>x</string><key>com.apple.security.app-sandbox</key><false/>")
        #expect(test.finding(about: file, key: "aps-environment")?.severity == .warning)
        #expect(test.finding(about: file, key: "com.apple.security.app-sandbox")?.severity == .warning)
    }

    @Test(arguments: [
        "<key>com.apple.security.network.client</key><string>yes</string>",
        "<key>com.apple.security.application-groups</key><string>group.a</string>",
        "<key>com.apple.security.application-groups</key><array><string>com.example.pictures</string></array>",
        "<key>com.apple.security.application-groups</key><array><string>group.$(TEAM)</string></array>",
        "<key>com.apple.security.application-groups</key><array><string>group.../../etc</string></array>",
        "<key>com.apple.security.application-groups</key><array><true/></array>",
    ])
    func `an entitlement with a wrong value refuses the extension`(entries: String) throws {
        let error = try asking(entries).rejection()
        #expect(error.rule == .entitlements && error.file == "Pictures.app/\(file)" && error.key != nil, "\(error)")
    }

    @Test func `an entitlements file that is no property list, a link, or too long is refused`() throws {
        let test = try TestApp()
        try test.write("network: yes", to: file)
        #expect(try test.rejection().rule == .entitlements)
        try test.write("<plist version=\"1.0\"><array/></plist>", to: file)
        #expect(try test.rejection().what == "is an array")
        try test.write(String(repeating: " ", count: 17_000), to: file)
        #expect(try test.rejection().what == "is too long")
        try test.remove(file)
        symlink("Info.plist", "\(test.path)/\(file)")
        #expect(try test.rejection().rule == .p7)
    }

    @Test func `more groups than one bundle may name are refused`() throws {
        let groups = (0...16).map { "<string>group.com.example.g\($0)</string>" }.joined()
        let error = try asking("<key>com.apple.security.application-groups</key><array>\(groups)</array>").rejection()
        #expect(error.rule == .entitlements && error.what.contains("more than 16"))
    }
}
