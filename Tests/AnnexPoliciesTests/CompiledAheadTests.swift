import AnnexPolicies
import AnnexPolicy
import Testing

/// What was compiled when Annex was built is what its texts say.
@Suite struct CompiledAheadTests {
    @Test(arguments: PolicyLibrary.shipped.names, Architecture.allCases)
    func `a policy compiled ahead is the policy that its text says`(name: String, architecture: Architecture) throws {
        let ahead = try Policy.compiledAhead(named: name, for: architecture)
        let read = try Policy.shipped(named: name, for: architecture)
        #expect(ahead == read)
        #expect(try ahead.filter() == read.filter())
        #expect(try ahead.filter().count > 50)
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
