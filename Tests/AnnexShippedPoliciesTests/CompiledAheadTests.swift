import AnnexPolicy
import Testing

@testable import AnnexShippedPolicies

/// The compiled policies that the program contains must match their texts. `make policies` compiles them again.
@Suite struct CompiledAheadTests {
    static let compiler = CompiledPolicies.shipped?.compiler

    /// Every policy, and each policy of a point with the entitlements that change its filter.
    static let names = (try? PolicyLibrary.shipped.namesToCompile()) ?? []

    @Test func `the program carries every shipped policy and no other`() {
        #expect(Self.names.count > PolicyLibrary.shipped.names.count)
        #expect(CompiledPolicies.shipped?.names == Self.names, "run `make policies`")
    }

    @Test func `a joined policy has its filter ahead whatever else is joined to it`() throws {
        let point = "com.apple.share-services"
        let groups = "com.apple.security.application-groups"
        let client = "com.apple.security.network.client"
        // This entitlement adds nothing to a policy, so the library carries no filter for it.
        let reading = "com.apple.security.files.user-selected.read-only"
        let hosts = client + ".hosts"
        let sets = [
            [groups], [client], [reading], [groups, client], [client, groups], [reading, groups], [hosts],
            [hosts, groups],
        ]
        for names in sets {
            let name = ([point] + names).joined(separator: "+")
            let ahead = try Policy.compiledAhead(named: name)
            let carried = ([point] + names.filter { $0 != reading }.sorted()).joined(separator: "+")
            #expect(try ahead.filter() == Self.filter(ofPolicy: carried, for: .current), "\(name)")
            #expect(try ahead == Policy.shipped(named: name), "\(name)")
            #expect(ahead.name == ([point] + names.sorted()).joined(separator: "+"))
        }
        #expect(throws: PolicyError.self) { try Policy.compiledAhead(named: point + "+com.apple.security.nothing") }
    }

    @Test(arguments: names, Architecture.allCases)
    func `a carried policy equals the policy of its text`(name: String, architecture: Architecture) throws {
        let ahead = try Policy.compiledAhead(named: name, for: architecture)
        let read = try Policy.shipped(named: name, for: architecture)
        #expect(ahead == read, "\(name) differs from its text: run `make policies`")
        // The text gives the places of grants, which the comparison above includes.
        #expect(ahead.paths.grants.allSatisfy { $0.place != nil })
    }

    @Test(arguments: names, Architecture.allCases)
    func `a carried filter answers every call as its policy says`(name: String, architecture: Architecture) throws {
        let carried = try Self.filter(ofPolicy: name, for: architecture)
        let ahead = try Policy.compiledAhead(named: name, for: architecture)
        // A launch installs exactly the filter that this test proves.
        #expect(try ahead.filter() == carried)
        #expect(carried.count > 50)
        try FilterProof.prove(ahead, reporting: .denials)
    }

    @Test(
        .enabled(
            if: compiler == SeccompFilter.compiler,
            "the carried filters are of \(compiler ?? "none"), here is \(SeccompFilter.compiler)"),
        arguments: names, Architecture.allCases)
    func `the same compiler makes the same filter again`(name: String, architecture: Architecture) throws {
        let carried = try Self.filter(ofPolicy: name, for: architecture)
        #expect(try carried == Policy.shipped(named: name, for: architecture).filter(), "run `make policies`")
    }

    @Test func `a policy has the texts of another library if its own text and its includes are the same`() throws {
        let shipped = PolicyLibrary.shipped
        let texts = ["base", "compute", "resources"].reduce(into: [String: String]()) {
            $0[$1] = shipped.text(named: $1)
        }
        #expect(try PolicyLibrary(texts: texts).hasTexts(ofPolicy: "compute", in: shipped))
        for (name, same) in [("base", false), ("compute", false), ("resources", true)] {
            var changed = texts
            changed[name]? += "# A word more.\n"
            #expect(try PolicyLibrary(texts: changed).hasTexts(ofPolicy: "compute", in: shipped) == same, "\(name)")
        }
    }

    @Test func `a text of a fragment that differs is another text of the joined policy`() throws {
        let shipped = PolicyLibrary.shipped
        let text = try #require(shipped.text(ofFragment: "jit"))
        for (more, same) in [("", true), ("# A word more.\n", false)] {
            let library = PolicyLibrary(texts: shipped.allTexts, fragments: ["jit": text + more])
            #expect(try library.hasTexts(ofPolicy: "tool+jit", in: shipped) == same)
        }
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

    @Test func `a carried filter means the numbers of each sandbox, as its text does`() throws {
        let (ahead, read) = (try Policy.compiledAhead(named: "tool"), try Policy.shipped(named: "tool"))
        for own in [OwnNumbers.hidden, OwnNumbers(user: 1000, group: 100), OwnNumbers(user: 7, group: 7)] {
            let settled = ahead.owned(by: own)
            let (user, stranger) = (UInt64(own.user), UInt64(own.user) + 1)
            #expect(settled.filterAllows("setuid", arguments: [user]), "\(own)")
            #expect(!settled.filterAllows("setuid", arguments: [stranger]), "\(own)")
            #expect(settled.rules == read.owned(by: own).rules)
        }
    }

    @Test func `the error for an unknown policy suggests the nearest name`() {
        let error = #expect(throws: PolicyError.self) { try Policy.compiledAhead(named: "comptue") }
        #expect(error?.suggestion == "compute")
    }

    private static func filter(ofPolicy name: String, for architecture: Architecture) throws -> SeccompFilter {
        let carried = try #require(CompiledPolicies.shipped)
        let policy = try #require(carried.named(name))
        return try #require(carried.filter(of: policy, for: architecture))
    }
}

/// The file of the compiled policies, as bytes that may be damaged.
@Suite struct CompiledFileTests {
    private static func file() throws -> [UInt8] {
        let shipped = PolicyLibrary.shipped
        let texts = ["base", "compute", "tool"].reduce(into: [String: String]()) { $0[$1] = shipped.text(named: $1) }
        return try CompiledPolicies.file(of: PolicyLibrary(texts: texts))
    }

    @Test func `a moved comment changes no byte of the file`() throws {
        let texts = ["base": PolicyLibrary.shipped.text(named: "base") ?? ""]
        let moved = texts.mapValues { "# A comment.\n\n" + $0 }
        let file = try CompiledPolicies.file(of: PolicyLibrary(texts: texts))
        #expect(file.count > 1000)
        #expect(try CompiledPolicies.file(of: PolicyLibrary(texts: moved)) == file)
    }

    @Test(arguments: Architecture.allCases)
    func `policies with equal filters share one copy`(architecture: Architecture) throws {
        let file = try #require(CompiledPolicies.shipped)
        var copies: [SeccompFilter: Set<CompiledPart>] = [:]
        for name in file.names {
            let policy = try #require(file.named(name))
            let filter = try #require(file.filter(of: policy, for: architecture))
            let part = try #require(policy.filters[architecture])
            copies[filter, default: []].insert(part)
        }
        #expect(copies.count > 10 && copies.count < file.names.count)
        #expect(copies.values.allSatisfy { $0.count == 1 })
    }

    @Test func `a damaged file gives a policy or none, and never more policies`() throws {
        let whole = try Self.file()
        #expect(Self.policies(in: whole).count == 6)
        for length in [0, 3, 4, 5, 40, whole.count / 2, whole.count - 1] {
            #expect(Self.policies(in: Array(whole.prefix(length))).count < 6, "\(length)")
        }
        // Each byte of the index and of the last policy's values, and some bytes of the filters.
        let ends = Array(0..<300) + Array((whole.count - 300)..<whole.count)
        for place in ends + Array(stride(from: 300, to: whole.count, by: 101)) {
            for mask in [0x01, 0x80, 0xFF] as [UInt8] {
                var damaged = whole
                damaged[place] ^= mask
                #expect(Self.policies(in: damaged).count <= 6, "\(place)")
            }
        }
    }

    /// Every policy that can be read from a file, for both architectures.
    private static func policies(in file: [UInt8]) -> [Policy] {
        // SAFETY: the bytes live until the closure ends.
        unsafe file.withUnsafeBytes { bytes in
            guard let file = unsafe CompiledPolicies(bytes) else { return [] }
            return file.names.flatMap { name in Architecture.allCases.compactMap { file.policy(named: name, for: $0) } }
        }
    }
}
