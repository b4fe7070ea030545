import AnnexBundle
import AnnexPolicy
import AnnexRegistry
import Testing

/// An entitlement is in force only if three conditions hold. The bundle asks for it, the point allows it, and the user grants it.
@Suite struct EntitlementStateTests {
    private static let client = "com.apple.security.network.client"
    private static let groups = "com.apple.security.application-groups"
    private static let sandbox = "com.apple.security.app-sandbox"

    private static func point(default defaults: [String] = [], allowed: [String]) throws -> ExtensionPoint {
        try ExtensionPoint(
            text: """
                point: org.example.p
                name: a
                summary: b
                policy: compute
                entitlements: { default: [\(defaults.joined(separator: ", "))], allowed: [\(allowed.joined(separator: ", "))] }
                """, file: "org.example.p.yaml")
    }

    @Test(arguments: [true, false], [true, false])
    func `an entitlement is in force only if it is allowed and granted`(isAllowed: Bool, isGranted: Bool) throws {
        let point = try Self.point(allowed: isAllowed ? [Self.client] : [])
        let states = point.entitlements(claimed: [Self.client], granted: isGranted ? [Self.client] : [])
        #expect(states == [EntitlementState(Self.client, isAllowed: isAllowed, isGranted: isGranted)])
        #expect(states[0].isInForce == (isAllowed && isGranted))
        #expect(point.refused(of: [Self.client]) == (isAllowed ? [] : [Self.client]))
    }

    @Test func `a grant without a claim has no effect`() throws {
        let point = try Self.point(allowed: [Self.client, Self.groups])
        #expect(point.entitlements(claimed: [], granted: [Self.client]).isEmpty)
        let states = point.entitlements(claimed: [Self.groups], granted: [Self.client])
        #expect(states == [EntitlementState(Self.groups, isAllowed: true, isGranted: false)])
    }

    @Test func `a default entitlement of the point is in force without claim and grant`() throws {
        let point = try Self.point(default: [Self.groups], allowed: [])
        let states = point.entitlements(claimed: [], granted: [])
        #expect(states.map(\.name) == [Self.groups] && states[0].isInForce)
    }

    @Test func `the sandbox is accepted by every point and listed by none`() throws {
        let point = try Self.point(allowed: [])
        #expect(point.refused(of: [Self.sandbox]).isEmpty)
        #expect(point.entitlements(claimed: [Self.sandbox], granted: [Self.sandbox]).isEmpty)
    }

    @Test(arguments: ["com.apple.security.camera", "", "com.apple.security.network.server", "../x", "a+b"])
    func `an entitlement that Annex does not know is refused by every point`(name: String) throws {
        for identifier in PointLibrary.shipped.names {
            let point = try #require(PointLibrary.shipped.point(identifier))
            #expect(point.refused(of: [name]) == [name])
            #expect(!point.entitlements(claimed: [name], granted: [name])[0].isInForce)
        }
    }

    /// The fragments, the points and the reader of bundles must name the same entitlements.
    @Test func `every entitlement that a point lists has a fragment`() {
        let listed = Entitlement.allCases.filter { $0 != .appSandbox }.map(\.rawValue)
        let forms = Array(PolicyFragment.withNamedHosts.values)
        #expect((listed + forms).sorted() == PolicyLibrary.shipped.entitlements)
        // No bundle can ask for the form with named machines.
        #expect(forms.allSatisfy { Entitlement(rawValue: $0) == nil })
    }

    @Test func `every combination that a point allows has a filter`() throws {
        for identifier in PointLibrary.shipped.names {
            let point = try #require(PointLibrary.shipped.point(identifier))
            let accepted = (point.defaultEntitlements + point.allowedEntitlements).map(\.rawValue)
            let sets = accepted.reduce([[]]) { sets, name in sets + sets.map { $0 + [name] } }
            for set in sets {
                let name = ([point.policy] + set).joined(separator: "+")
                #expect(try Policy.shipped(named: name).filter().count > 50, "\(name)")
            }
        }
    }
}
