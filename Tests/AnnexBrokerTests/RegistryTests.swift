import AnnexBrokerAPI
import AnnexBundle
import AnnexTestSupport
import Testing

@testable import AnnexBroker

@Suite struct RegistryTests {
    private func app(_ identifier: String, carrying extensionIdentifier: String) throws -> AppBundle {
        let made = try MadeApp(identifier, carrying: [extensionIdentifier])
        return try withExtendedLifetime(made) { try AppBundle.open(made.path) }
    }

    @Test func `P3: no app takes over an extension of another one`() throws {
        var registry = Registry()
        try registry.install(app("com.a", carrying: "com.a.b.c"))
        #expect(throws: BrokerError.self) { try registry.install(app("com.a.b", carrying: "com.a.b.c")) }
        #expect(registry.bundle("com.a.b.c")?.containingApp == "com.a")
        // The same app may come again.
        try registry.install(app("com.a", carrying: "com.a.b.c"))
    }

    @Test func `P5: an extension that its app no longer carries is forgotten with its switch`() throws {
        var registry = Registry()
        try registry.install(app("com.a", carrying: "com.a.one"))
        registry.setEnabled(false, for: "com.a.one")
        try registry.install(app("com.a", carrying: "com.a.one"))
        #expect(!registry.isEnabled("com.a.one"))
        try registry.install(app("com.a", carrying: "com.a.two"))
        try registry.install(app("com.a", carrying: "com.a.one"))
        #expect(registry.isEnabled("com.a.one"))
    }

    @Test func `P12: each installation is another instance and names the dropped ones`() throws {
        var registry = Registry()
        #expect(try registry.install(app("com.a", carrying: "com.a.one")).isEmpty)
        let first = try #require(registry.instance(of: "com.a.one"))
        #expect(try registry.install(app("com.a", carrying: "com.a.one")).isEmpty)
        #expect(try #require(registry.instance(of: "com.a.one")) > first)
        #expect(try registry.install(app("com.a", carrying: "com.a.two")) == ["com.a.one"])
        #expect(registry.instance(of: "com.a.one") == nil && registry.bundle("com.a.one") == nil)
        #expect(try registry.remove("com.a") == ["com.a.two"] && registry.bundle("com.a.two") == nil)
    }

    @Test func `an error names only so many identifiers that it stays short`() {
        let many = (0..<2_000).map { "com.example.app-\($0)" }
        #expect(Registry.shown(many).utf8.count < 1_000 && Registry.shown(many).hasSuffix("and 1980 more"))
        #expect(Registry.shown(["a", "b"]) == "a, b")
    }
}
