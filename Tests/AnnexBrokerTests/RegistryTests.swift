import AnnexBundle
import AnnexService
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
        #expect(throws: ServiceError.self) { try registry.install(app("com.a.b", carrying: "com.a.b.c")) }
        #expect(registry.bundle("com.a.b.c")?.containingApp == "com.a")
        // The same app may come again.
        try registry.install(app("com.a", carrying: "com.a.b.c"))
    }

    @Test func `P5: an extension that its app no longer carries is forgotten, switched off or not`() throws {
        var registry = Registry()
        try registry.install(app("com.a", carrying: "com.a.one"))
        registry.setEnabled(false, "com.a.one")
        try registry.install(app("com.a", carrying: "com.a.one"))
        #expect(!registry.isEnabled("com.a.one"))
        try registry.install(app("com.a", carrying: "com.a.two"))
        try registry.install(app("com.a", carrying: "com.a.one"))
        #expect(registry.isEnabled("com.a.one"))
    }
}
