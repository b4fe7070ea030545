import AnnexPolicy
import Testing

@testable import AnnexShippedPolicies

/// The compiled policies in the sources must match their texts. `make policies` compiles them again.
@Suite struct CompiledAheadTests {
    static let isOfThisCompiler = CompiledPolicies.compiler == SeccompFilter.compiler

    /// Every policy, and each policy of a point with the entitlements that change its filter.
    static let names = (try? PolicyLibrary.shipped.namesToCompile()) ?? []

    @Test func `the sources carry every shipped policy and no other`() {
        #expect(Self.names.count > PolicyLibrary.shipped.names.count)
        #expect(CompiledPolicies.names == Self.names, "run `make policies`")
    }

    @Test func `a joined policy has its filter ahead whatever else is joined to it`() throws {
        let point = "com.apple.share-services"
        let groups = "com.apple.security.application-groups"
        let client = "com.apple.security.network.client"
        // This entitlement adds nothing to a policy, so the library carries no filter for it.
        let reading = "com.apple.security.files.user-selected.read-only"
        for names in [[groups], [client], [reading], [groups, client], [client, groups], [reading, groups]] {
            let name = ([point] + names).joined(separator: "+")
            let ahead = try Policy.compiledAhead(named: name)
            let carried = ([point] + names.filter { $0 != reading }.sorted()).joined(separator: "+")
            #expect(try ahead.filter() == #require(CompiledPolicies.named(carried)).filter(for: .current), "\(name)")
            #expect(try ahead == Policy.shipped(named: name), "\(name)")
            #expect(ahead.name == ([point] + names.sorted()).joined(separator: "+"))
        }
        #expect(throws: PolicyError.self) { try Policy.compiledAhead(named: point + "+com.apple.security.nothing") }
    }

    @Test(arguments: names)
    func `a carried policy was compiled from the present texts`(name: String) throws {
        let digest = try PolicyLibrary.shipped.digest(ofPolicy: name)
        #expect(CompiledPolicies.named(name)?.digest == digest, "\(name) has changed: run `make policies`")
    }

    @Test(arguments: names, Architecture.allCases)
    func `a carried policy equals the policy of its text`(name: String, architecture: Architecture) throws {
        let ahead = try Policy.compiledAhead(named: name, for: architecture)
        let read = try Policy.shipped(named: name, for: architecture)
        #expect(ahead == read, "\(name) differs from its text: run `make policies`")
    }

    @Test(arguments: names, Architecture.allCases)
    func `a carried filter answers every call as its policy says`(name: String, architecture: Architecture) throws {
        let carried = try #require(CompiledPolicies.named(name)).filter(for: architecture)
        let ahead = try Policy.compiledAhead(named: name, for: architecture)
        // A launch installs exactly the filter that this test proves.
        #expect(try ahead.filter() == carried)
        #expect(carried.count > 50)
        try FilterProof.prove(ahead, reporting: .denials)
    }

    @Test(
        .enabled(
            if: isOfThisCompiler,
            "the carried filters are of \(CompiledPolicies.compiler), here is \(SeccompFilter.compiler)"),
        arguments: names, Architecture.allCases)
    func `the same compiler makes the same filter again`(name: String, architecture: Architecture) throws {
        let carried = try #require(CompiledPolicies.named(name)).filter(for: architecture)
        #expect(try carried == Policy.shipped(named: name, for: architecture).filter(), "run `make policies`")
    }

    @Test func `the digest of a policy depends on its own text and its includes`() throws {
        let texts = ["base", "compute", "resources"].reduce(into: [String: String]()) {
            $0[$1] = PolicyLibrary.shipped.text(named: $1)
        }
        let before = try PolicyLibrary(texts: texts).digest(ofPolicy: "compute")
        for name in ["base", "compute"] {
            var changed = texts
            changed[name]? += "# A word more.\n"
            #expect(try PolicyLibrary(texts: changed).digest(ofPolicy: "compute") != before, "\(name)")
        }
        var other = texts
        other["resources"]? += "# A word more.\n"
        #expect(try PolicyLibrary(texts: other).digest(ofPolicy: "compute") == before)
    }

    @Test func `a carried policy gives the verdicts and places of its text`() throws {
        let ahead = try Policy.compiledAhead(named: "compute")
        let read = try Policy.shipped(named: "compute")
        for number in 0..<500 as Range<Int32> {
            let verdict = ahead.verdict(number: number, arguments: [1, 2, 3, 4, 5, 6])
            #expect(verdict == read.verdict(number: number, arguments: [1, 2, 3, 4, 5, 6]))
        }
    }

    @Test func `a policy with additional paths has the same filter`() throws {
        let policy = try Policy.compiledAhead(named: "tool")
        let more = policy.granting([
            PathGrant(path: "/srv/in", rights: .read, isOptional: false, reason: "asked", place: nil)
        ])
        #expect(try more.filter() == policy.filter())
        #expect(more.verdict(path: "/srv/in/x", rights: .read).isAllowed)
        #expect(!policy.verdict(path: "/srv/in/x", rights: .read).isAllowed)
    }

    @Test func `the error for an unknown policy suggests the nearest name`() {
        let error = #expect(throws: PolicyError.self) { try Policy.compiledAhead(named: "comptue") }
        #expect(error?.suggestion == "compute")
    }
}
