import AnnexBundle
import AnnexModel
import AnnexTestSupport
import Foundation
import Testing

@testable import AnnexRegistry

@Suite struct RegistryTests {
    /// An app with a version. Its files are removed as soon as it is opened.
    private func app(
        _ identifier: String, carrying extensionIdentifier: String, version: String? = nil
    ) throws -> AppBundle {
        let made = try MadeApp(identifier, carrying: [extensionIdentifier])
        if let version { try made.setVersion(version) }
        return try withExtendedLifetime(made) { try AppBundle.open(made.path) }
    }

    private func versions(_ registry: Registry) -> [String]? {
        registry.known("com.a").map { $0.builds.map(\.version.text) }
    }

    @Test func `P3: no app takes over an extension of another one`() throws {
        var registry = Registry()
        _ = try registry.install(app("com.a", carrying: "com.a.b.c"))
        for other in ["com.a.b", "com.A.B"] {
            let error = #expect(throws: RegistryError.self) {
                try registry.install(app(other, carrying: "com.A.B.C".replacing("com.A.B", with: other)))
            }
            #expect(error?.code == .takenIdentifier)
        }
        #expect(registry.record("com.a.b.c")?.info.containingApp == "com.a")
        // The same app may be installed again.
        _ = try registry.install(app("com.a", carrying: "com.a.b.c"))
    }

    @Test func `identifiers that differ only in capitals are one`() throws {
        var registry = Registry()
        _ = try registry.install(app("com.a", carrying: "com.a.One"))
        #expect(registry.record("COM.A.ONE")?.identifier == "com.a.One")
        _ = try registry.setEnabled(false, for: "com.A.one")
        #expect(!registry.isEnabled("com.a.one"))
        // Trust and private directories belong to the exact spelling of the identifier.
        let error = #expect(throws: RegistryError.self) {
            try registry.install(app("com.A", carrying: "com.A.one"))
        }
        #expect(error?.what == "differs only in capitals from the installed app com.a")
        #expect(try registry.install(app("com.a", carrying: "com.a.one")).dropped == ["com.a.One"])
        #expect(registry.installed.map(\.identifier) == ["com.a.one"])
    }

    @Test func `P5: an extension that its app no longer carries is forgotten with its switch`() throws {
        var registry = Registry()
        _ = try registry.install(app("com.a", carrying: "com.a.one"))
        _ = try registry.setEnabled(false, for: "com.a.one")
        _ = try registry.install(app("com.a", carrying: "com.a.one"))
        #expect(!registry.isEnabled("com.a.one") && registry.known("com.a")?.choices == ["com.a.one": false])
        _ = try registry.install(app("com.a", carrying: "com.a.two"))
        _ = try registry.install(app("com.a", carrying: "com.a.one"))
        #expect(registry.isEnabled("com.a.one") && registry.known("com.a")?.choices == [:])
    }

    @Test func `P12: each installation is another instance and names the dropped ones`() throws {
        var registry = Registry()
        #expect(try registry.install(app("com.a", carrying: "com.a.one")).dropped.isEmpty)
        let first = try #require(registry.record("com.a.one")?.number)
        #expect(try registry.install(app("com.a", carrying: "com.a.one")).dropped.isEmpty)
        #expect(try #require(registry.record("com.a.one")?.number) > first)
        #expect(try registry.install(app("com.a", carrying: "com.a.two")).dropped == ["com.a.one"])
        #expect(registry.record("com.a.one") == nil)
        #expect(try registry.remove("com.a").dropped == ["com.a.two"] && registry.record("com.a.two") == nil)
    }

    @Test func `P12: the highest version is used and an older one that comes later is only kept`() throws {
        var registry = Registry()
        _ = try registry.install(app("com.a", carrying: "com.a.one", version: "1.10"))
        let number = registry.record("com.a.one")?.number
        let older = try registry.install(app("com.a", carrying: "com.a.old", version: "1.9"))
        #expect(!older.isElected && older.dropped.isEmpty && versions(registry) == ["1.10", "1.9"])
        let used = try #require(BundleVersion("1.10"))
        #expect(older.records.map(\.verdict) == [.superseded(by: used, isPinned: false)])
        // The installation does not affect extensions in use, and the extensions of the older version do not appear.
        #expect(registry.record("com.a.one")?.number == number && registry.record("com.a.old") == nil)
        let newer = try registry.install(app("com.a", carrying: "com.a.one", version: "2"))
        #expect(newer.isElected && versions(registry) == ["2", "1.10"])
        #expect(newer.forgotten.map(\.version.text) == ["1.9"])
        #expect(registry.record("com.a.one")?.instance.version.text == "2")
    }

    @Test func `P12: the same version replaces its files`() throws {
        var registry = Registry()
        _ = try registry.install(app("com.a", carrying: "com.a.one", version: "1.0"), digest: "aa")
        let again = try registry.install(app("com.a", carrying: "com.a.one", version: "1"), digest: "bb")
        #expect(again.isElected && again.forgotten.map(\.digest) == ["aa"] && versions(registry) == ["1"])
        #expect(registry.record("com.a.one")?.instance.description == "com.a.one/1/bb")
    }

    @Test func `P12: a pinned version is used until it is unpinned`() throws {
        var registry = Registry()
        // The files of both apps stay, because a pin compares the app that it opens with the known app.
        let made = try [MadeApp("com.a", carrying: ["com.a.one"]), MadeApp("com.a", carrying: ["com.a.one"])]
        for (app, version) in zip(made, ["1", "2"]) {
            try app.setVersion(version)
            _ = try registry.install(AppBundle.open(app.path))
        }
        let one = try #require(BundleVersion("1"))
        let build = try registry.build(of: "com.a", version: one)
        #expect(build.path == made[0].path)
        let pinned = try registry.pin(AppBundle.open(build.path), to: one)
        #expect(pinned.isElected && versions(registry) == ["1", "2"] && registry.known("com.a")?.pinned == one)
        // A newer version does not change the choice.
        let newer = try registry.install(app("com.a", carrying: "com.a.one", version: "3"))
        #expect(newer.records.map(\.verdict) == [.superseded(by: one, isPinned: true)])
        #expect(versions(registry) == ["1", "3"] && newer.forgotten.map(\.path) == [made[1].path])
        // If the files are the same, the installation stays the same.
        let number = registry.record("com.a.one")?.number
        _ = try registry.pin(AppBundle.open(build.path), to: one)
        #expect(registry.record("com.a.one")?.number == number)
        #expect(try registry.build(of: "com.a", version: nil).version.text == "3")
        let missing = #expect(throws: RegistryError.self) {
            try registry.build(of: "com.a", version: BundleVersion("9"))
        }
        #expect(missing?.code == .unknownVersion && missing?.remedy == "installed versions: 1, 3")
        // The place of the other version must hold the app that was installed from there.
        #expect(throws: RegistryError.self) { try registry.pin(AppBundle.open(made[1].path), to: nil) }
    }

    @Test func `P12: an unpinned app goes back to its highest version`() throws {
        var registry = Registry()
        let made = try [MadeApp("com.a", carrying: ["com.a.one"]), MadeApp("com.a", carrying: ["com.a.two"])]
        for (app, version) in zip(made, ["1", "2"]) {
            try app.setVersion(version)
            _ = try registry.install(AppBundle.open(app.path))
        }
        let one = try registry.pin(AppBundle.open(made[0].path), to: BundleVersion("1"))
        #expect(one.dropped == ["com.a.two"] && registry.record("com.a.one") != nil)
        let two = try registry.pin(AppBundle.open(made[1].path), to: nil)
        #expect(two.dropped == ["com.a.one"] && registry.known("com.a")?.pinned == nil)
        #expect(versions(registry) == ["2", "1"])
    }

    @Test func `a broken extension has a verdict of its own`() throws {
        var registry = Registry()
        let made = try MadeApp("com.a", carrying: ["com.a.one", "com.b.two"])
        let installed = try registry.install(AppBundle.open(made.path))
        #expect(installed.records.map(\.identifier) == ["com.a.one", "com.a/PlugIns/Part1.appex"])
        guard case .broken(let error)? = installed.records.last?.verdict else {
            Issue.record("\(installed.records)")
            return
        }
        #expect(error.rule == .p3 && registry.offered.map(\.identifier) == ["com.a.one"])
        #expect(try registry.found("com.b.two").identifier == "com.a/PlugIns/Part1.appex")
        #expect(throws: RegistryError.self) { try registry.found("com.c.three") }
    }

    @Test func `an error names only so many identifiers that it stays short`() {
        let many = (0..<2_000).map { "com.example.app-\($0)" }
        #expect(RegistryError.shown(many).utf8.count < 1_000 && RegistryError.shown(many).hasSuffix("and 1980 more"))
        #expect(RegistryError.shown(["a", "b"]) == "a, b")
    }
}
