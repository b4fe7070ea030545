import AnnexBundle
import AnnexPolicy
import AnnexTestSupport
import Testing

@testable import AnnexRegistry

/// The grants of the user that a registry keeps.
@Suite struct GrantTests {
    private static let client = "com.apple.security.network.client"
    private static let read = "com.apple.security.files.user-selected.read-only"

    private func app(
        asking entitlements: [String], carrying name: String = "com.a.one", version: String? = nil
    ) throws -> AppBundle {
        let made = try MadeApp("com.a", carrying: [name])
        try made.setEntitlements(entitlements)
        if let version { try made.setVersion(version) }
        return try withExtendedLifetime(made) { try AppBundle.open(made.path) }
    }

    private func inForce(_ registry: Registry, _ name: String = "com.a.one") throws -> [String] {
        registry.entitlementsInForce(for: try registry.found(name))
    }

    @Test func `an entitlement is in force from its grant to its revocation`() throws {
        var registry = Registry()
        _ = try registry.install(app(asking: [Self.client, Self.read]))
        #expect(try inForce(registry) == [])
        #expect(
            try registry.setGranted(true, entitlements: [Self.client], for: "COM.A.one").grants == [
                "com.a.one": [Self.client]
            ])
        #expect(try inForce(registry) == [Self.client])
        _ = try registry.setGranted(true, entitlements: [Self.read], for: "com.a.one")
        #expect(try inForce(registry) == [Self.read, Self.client])
        #expect(try registry.setGranted(false, entitlements: [Self.client, Self.read], for: "com.a.one").grants == [:])
        #expect(try inForce(registry) == [])
    }

    private func hosts(_ registry: Registry) throws -> [String] {
        registry.hostsInForce(for: try registry.found("com.a.one")).map(\.description)
    }

    @Test func `a later grant replaces the machines, and a revocation takes them back one by one`() throws {
        var registry = Registry()
        _ = try registry.install(app(asking: [Self.client, Self.read]))
        func set(_ isGranted: Bool, _ names: [String], _ hosts: [String]) throws {
            let rules = try hosts.map { try HostRule($0) }
            _ = try registry.setGranted(isGranted, entitlements: names, hosts: rules, for: "com.a.one")
        }
        try set(true, [Self.client], ["Feed.Example.org:443", "feed.example.org:443", "*.b.example"])
        #expect(try hosts(registry) == ["feed.example.org:443", "*.b.example"])
        let first = try registry.found("com.a.one").number
        // Another entitlement, and an installation that grants what is granted, change no machine.
        try set(true, [Self.read], [])
        let again = try registry.install(app(asking: [Self.client, Self.read]))
        _ = try registry.grant([Self.client], to: again)
        #expect(try hosts(registry) == ["feed.example.org:443", "*.b.example"])
        try set(true, [Self.client], ["192.0.2.7:22", "a.example"])
        #expect(try hosts(registry) == ["192.0.2.7:22", "a.example"])
        #expect(try registry.found("com.a.one").number > first)
        try set(false, [Self.client], ["a.example"])
        #expect(try hosts(registry) == ["192.0.2.7:22"] && inForce(registry) == [Self.read, Self.client])
        // A grant without machines would be one for all of them.
        try set(false, [Self.client], ["192.0.2.7:22"])
        #expect(try hosts(registry).isEmpty && inForce(registry) == [Self.read])
        try set(true, [Self.client], ["a.example"])
        try set(true, [Self.client], [])
        #expect(try hosts(registry).isEmpty && inForce(registry) == [Self.read, Self.client])
        try set(true, [Self.client], ["a.example"])
        try set(false, [Self.client], [])
        #expect(try hosts(registry).isEmpty && inForce(registry) == [Self.read])
    }

    @Test func `wrong machines change nothing and are named`() throws {
        var registry = Registry()
        _ = try registry.install(app(asking: [Self.client, Self.read]))
        let many = try (0...GrantedEntitlements.mostHosts).map { try HostRule("h\($0).example") }
        let long = try (0..<5).map { try HostRule("h\($0)" + String(repeating: ".abcdefghi", count: 24)) }
        let one = [try HostRule("a.example")]
        let wrong: [(Bool, String, [HostRule], String)] = [
            (true, Self.read, one, "only with"), (true, Self.client, many, "at most 32"),
            (true, Self.client, long, "1024 bytes"), (false, Self.client, one, "no grant that names machines"),
        ]
        for (isGranted, name, hosts, words) in wrong {
            let error = #expect(throws: RegistryError.self, "\(words)") {
                try registry.setGranted(isGranted, entitlements: [name], hosts: hosts, for: "com.a.one")
            }
            #expect(error?.code == .wrongEntitlement && error?.what.contains(words) == true, "\(error?.what ?? "")")
        }
        _ = try registry.setGranted(true, entitlements: [Self.client], hosts: one, for: "com.a.one")
        let error = #expect(throws: RegistryError.self) {
            let other = [try HostRule("b.example")]
            return try registry.setGranted(false, entitlements: [Self.client], hosts: other, for: "com.a.one")
        }
        #expect(error?.what == "has no grant for b.example" && error?.remedy == "its grant names a.example")
        #expect(try hosts(registry) == ["a.example"])
    }

    @Test func `grants that end with another team are named unless they are given again`() throws {
        var registry = Registry()
        let first = try registry.install(app(asking: [Self.client, Self.read]))
        _ = try registry.grant([Self.client, Self.read], to: first)
        let next = try registry.install(app(asking: [Self.client, Self.read]))
        let ended = registry.endGrants(of: next)
        #expect(ended.endedGrants == ["com.a.one": [Self.client, Self.read]] && ended.known.grants == [:])
        #expect(try inForce(registry) == [])
        let given = try registry.grant([Self.read], to: ended)
        #expect(given.endedGrants == ["com.a.one": [Self.client]])
        #expect(given.known.grants == ["com.a.one": [Self.read]])
    }

    @Test func `a changed grant makes another installation and an unchanged one does not`() throws {
        var registry = Registry()
        _ = try registry.install(app(asking: [Self.client]))
        let first = try registry.found("com.a.one").number
        _ = try registry.setGranted(true, entitlements: [Self.client], for: "com.a.one")
        let second = try registry.found("com.a.one").number
        #expect(second > first)
        _ = try registry.setGranted(true, entitlements: [Self.client], for: "com.a.one")
        #expect(try registry.found("com.a.one").number == second)
        #expect(registry.installed.map(\.number) == [second])
    }

    @Test(arguments: ["com.apple.security.application-groups", "com.apple.security.app-sandbox", "no.such", ""])
    func `an entitlement that an extension does not ask for cannot be granted or revoked`(name: String) throws {
        var registry = Registry()
        _ = try registry.install(app(asking: [Self.client]))
        for isGranted in [true, false] {
            let error = #expect(throws: RegistryError.self) {
                try registry.setGranted(isGranted, entitlements: [Self.client, name], for: "com.a.one")
            }
            #expect(error?.code == .wrongEntitlement && error?.remedy == "it asks for \(Self.client)")
        }
        // The other entitlement of the request is not granted either.
        #expect(try inForce(registry) == [])
    }

    @Test func `grants of an installation reach those that ask for them and no others`() throws {
        let made = try MadeApp("com.a", carrying: ["com.a.one", "com.a.two"])
        try made.setEntitlements([Self.client], ofPart: 0)
        try made.setEntitlements([Self.read], ofPart: 1)
        let app = try withExtendedLifetime(made) { try AppBundle.open(made.path) }
        var registry = Registry()
        let installation = try registry.grant([Self.client, "no.such"], to: registry.install(app))
        #expect(installation.known.grants == ["com.a.one": [Self.client]])
        #expect(try inForce(registry) == [Self.client])
        #expect(try inForce(registry, "com.a.two") == [])
    }

    @Test func `an update keeps the grants that it asks for again and forgets the others`() throws {
        var registry = Registry()
        _ = try registry.grant([Self.client, Self.read], to: registry.install(app(asking: [Self.client, Self.read])))
        _ = try registry.install(app(asking: [Self.client], version: "2"))
        #expect(try inForce(registry) == [Self.client])
        // If a later version requests the entitlement again, the user must decide again.
        _ = try registry.install(app(asking: [Self.client, Self.read], version: "3"))
        #expect(try inForce(registry) == [Self.client])
    }

    @Test func `a decision about an extension ends with its extension point`() throws {
        let made = try MadeApp("com.a", carrying: ["com.a.one"])
        try made.setEntitlements([Self.client])
        var registry = Registry()
        _ = try registry.grant([Self.client], to: registry.install(AppBundle.open(made.path)))
        _ = try registry.setEnabled(true, for: "com.a.one")
        try made.setVersion("2")
        try made.setPoint("com.apple.share-services")
        let update = try registry.install(AppBundle.open(made.path))
        #expect(update.endedGrants == ["com.a.one": [Self.client]])
        #expect(try inForce(registry) == [] && update.known.grants == [:])
        // The user may decide again, and may also decide during the installation.
        #expect(try registry.grant([Self.client], to: update).endedGrants == [:])
    }

    @Test func `an extension or an app that is gone takes its grants with it`() throws {
        var registry = Registry()
        _ = try registry.grant([Self.client], to: registry.install(app(asking: [Self.client])))
        _ = try registry.install(app(asking: [Self.client], carrying: "com.a.two"))
        _ = try registry.install(app(asking: [Self.client]))
        #expect(try inForce(registry) == [])
        _ = try registry.setGranted(true, entitlements: [Self.client], for: "com.a.one")
        _ = try registry.remove("com.a")
        _ = try registry.install(app(asking: [Self.client]))
        #expect(try inForce(registry) == [])
    }

    @Test func `recorded grants are restored only if the bundle asks for them`() throws {
        var registry = Registry()
        let known = try registry.grant([Self.client], to: registry.install(app(asking: [Self.client]))).known
        let forged = KnownApp(
            "com.a", elected: known.elected, grants: ["com.a.one": [Self.client, Self.read, "no.such"]])
        var later = Registry()
        _ = try later.restore(app(asking: [Self.client]), as: forged)
        #expect(try inForce(later) == [Self.client])
        #expect(later.known("com.a")?.grants == ["com.a.one": [Self.client]])
    }

    @Test func `an older version that is only kept gets no grants`() throws {
        var registry = Registry()
        _ = try registry.install(app(asking: [], version: "2"))
        let older = try registry.install(app(asking: [Self.client], version: "1"))
        #expect(try registry.grant([Self.client], to: older).known.grants == [:])
        #expect(try inForce(registry) == [])
    }
}
