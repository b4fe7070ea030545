import AnnexPolicy
import Testing

@testable import AnnexShippedPolicies

/// The policies that the sources carry compiled are what their texts say. `make policies` writes them anew.
@Suite struct CompiledAheadTests {
    static let isOfThisCompiler = CompiledPolicies.compiler == SeccompFilter.compiler

    @Test func `every shipped policy is carried, and no other`() {
        #expect(CompiledPolicies.names == PolicyLibrary.shipped.names, "run `make policies`")
    }

    @Test(arguments: PolicyLibrary.shipped.names)
    func `a carried policy was compiled from the texts as they are now`(name: String) throws {
        let digest = try PolicyLibrary.shipped.digest(ofPolicy: name)
        #expect(CompiledPolicies.named(name)?.digest == digest, "\(name) has changed: run `make policies`")
    }

    @Test(arguments: PolicyLibrary.shipped.names, Architecture.allCases)
    func `a carried policy is the policy that its text says`(name: String, architecture: Architecture) throws {
        let ahead = try Policy.compiledAhead(named: name, for: architecture)
        let read = try Policy.shipped(named: name, for: architecture)
        #expect(ahead == read, "\(name) differs from its text: run `make policies`")
    }

    @Test(arguments: PolicyLibrary.shipped.names, Architecture.allCases)
    func `a carried filter answers every call as its policy says`(name: String, architecture: Architecture) throws {
        let carried = try #require(CompiledPolicies.named(name)).filter(for: architecture)
        let ahead = try Policy.compiledAhead(named: name, for: architecture)
        // What a launch installs is what is proven here.
        #expect(try ahead.filter() == carried)
        #expect(carried.count > 50)
        try FilterProof.prove(ahead, reporting: .refusals)
    }

    @Test(
        .enabled(
            if: isOfThisCompiler,
            "the carried filters are of \(CompiledPolicies.compiler), here is \(SeccompFilter.compiler)"),
        arguments: PolicyLibrary.shipped.names, Architecture.allCases)
    func `the same compiler makes the same filter again`(name: String, architecture: Architecture) throws {
        let carried = try #require(CompiledPolicies.named(name)).filter(for: architecture)
        #expect(try carried == Policy.shipped(named: name, for: architecture).filter(), "run `make policies`")
    }

    @Test func `the digest of a policy sees its own text and the texts that it includes`() throws {
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

    @Test func `verdicts are those of the text, with its places`() throws {
        let ahead = try Policy.compiledAhead(named: "compute")
        let read = try Policy.shipped(named: "compute")
        for number in 0..<500 as Range<Int32> {
            let verdict = ahead.verdict(number: number, arguments: [1, 2, 3, 4, 5, 6])
            #expect(verdict == read.verdict(number: number, arguments: [1, 2, 3, 4, 5, 6]))
        }
    }

    @Test func `a policy with paths more has the same filter`() throws {
        let policy = try Policy.compiledAhead(named: "tool")
        let more = policy.granting([
            PathGrant(path: "/srv/in", rights: .read, isOptional: false, reason: "asked", place: nil)
        ])
        #expect(try more.filter() == policy.filter())
        #expect(more.verdict(path: "/srv/in/x", rights: .read).isAllowed)
        #expect(!policy.verdict(path: "/srv/in/x", rights: .read).isAllowed)
    }

    @Test func `an unknown name is answered with the nearest`() {
        let error = #expect(throws: PolicyError.self) { try Policy.compiledAhead(named: "comptue") }
        #expect(error?.suggestion == "compute")
    }
}
