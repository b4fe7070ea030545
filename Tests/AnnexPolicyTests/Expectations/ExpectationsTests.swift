import Testing

@testable import AnnexPolicy
@testable import AnnexPolicyTools

@Suite struct ExpectationsTests {
    @Test(arguments: PolicyLibrary.shipped.names, Architecture.allCases)
    func `every shipped policy meets its expectations`(name: String, architecture: Architecture) throws {
        let policy = try Policy.shipped(named: name, for: architecture)
        let found = try Expectations.shipped(for: name, architecture: architecture)
        let expectations = try #require(found, "nothing is expected of \(name)")
        #expect(expectations.all.count > 50)
        for expectation in expectations.all {
            let failure = policy.failure(of: expectation)
            #expect(failure == nil, "\(expectation.place): \(expectation)")
        }
    }

    /// Each policy of an extension point with each set of entitlements. No set has both forms of one entitlement.
    static let combinations: [String] = {
        let all = PolicyLibrary.shipped.entitlements.reduce([[]]) { sets, name in sets + sets.map { $0 + [name] } }
        let sets = all.filter { set in
            !PolicyFragment.withNamedHosts.contains { set.contains($0.key) && set.contains($0.value) }
        }
        return ShippedPolicyTests.points.flatMap { point in
            sets.dropFirst().map { ([point] + $0).joined(separator: "+") }
        }
    }()

    @Test(arguments: combinations)
    func `every combination of a point and entitlements meets the expectations of all`(name: String) throws {
        for architecture in Architecture.allCases {
            let policy = try Policy.shipped(named: name, for: architecture)
            let expectations = try #require(try Expectations.shipped(for: name, architecture: architecture))
            #expect(expectations.policy == name && expectations.all.count > 50)
            for expectation in expectations.all {
                let failure = policy.failure(of: expectation)
                #expect(failure == nil, "\(expectation.place): \(expectation): \(failure ?? "")")
            }
        }
    }

    @Test func `an expectation of an entitlement replaces that of the policy about the same call`() throws {
        let point = "com.apple.share-services"
        let client = "com.apple.security.network.client"
        let own = try #require(try Expectations.shipped(for: point))
        let joined = try own.joined(withFragments: [client, "com.apple.security.application-groups"])
        let connect = try #require(SystemCall(named: "connect"))
        func wanted(_ expectations: Expectations) -> [AnnexPolicyTools.Expectation.Wanted] {
            expectations.all.filter { $0.subject == .call(connect, arguments: [0, 0, 0, 0, 0, 0]) }.map(\.wanted)
        }
        #expect(wanted(own) == [.denied(answer: .end, layer: nil)])
        #expect(wanted(joined) == [.allowed])
        // Expectations about other calls and paths are kept.
        let ptrace = own.all.filter { $0.description.contains("ptrace") }
        #expect(!ptrace.isEmpty && ptrace.allSatisfy(joined.all.contains))
        #expect(throws: PolicyError.self) { try own.joined(withFragments: ["com.apple.security.nothing"]) }
    }

    static func failures(_ text: String) throws -> [String] {
        let policy = try Policy.shipped(named: "compute", for: .x86)
        let expectations = try Expectations(
            text: "expectations: compute\n" + text, file: "compute.expectations.yaml", architecture: .x86)
        return expectations.all.compactMap { policy.failure(of: $0) }
    }

    @Test(arguments: [
        ("allows: [ptrace]", "is denied with end (base.yaml:"), ("denies: [getpid]", "is allowed (base.yaml:"),
        ("denies: [{ call: ptrace, answer: EPERM }]", "is denied with end instead of EPERM"),
        ("denies: [{ call: ptrace, layer: landlock }]", "is denied by seccomp and not by landlock"),
        ("allows: [{ call: mmap, with: { prot: PROT_EXEC, flags: MAP_PRIVATE } }]", "is denied with EPERM"),
        ("allows: [{ path: /etc/passwd }]", "is denied with ENOENT (no line grants it)"),
        ("denies: [{ path: /etc/passwd, answer: EACCES }]", "is denied with ENOENT instead of EACCES"),
    ])
    func `an expectation that is not met says why`(text: String, message: String) throws {
        let failures = try Self.failures(text)
        #expect(failures.first?.contains(message) == true, "\(failures)")
    }

    @Test func `expectations that are met give no message`() throws {
        #expect(
            try Self.failures(
                "allows: [getpid]\ndenies: [ptrace, { path: [/a, /b], rights: [read, write] }, { call: fchmod, with: { mode: 0777 } }]"
            ).isEmpty)
    }

    @Test(arguments: [
        ("allow: [getpid]", "expectations.yaml:2:1: unknown key `allow` in expectations; did you mean `allows`?"),
        ("allows: [getpd]", "2:10: unknown system call `getpd`; did you mean `getpid`?"),
        ("allows: [{ call: getpid, answer: EPERM }]", "unknown key `answer`"),
        ("denies: [{ call: getpid, answer: EPRM }]", "did you mean `EPERM`?"),
        ("denies: [{ call: getpid, layer: secomp }]", "did you mean `seccomp`?"),
        ("denies: [{ call: openat, with: { flag: 0 } }]", "did you mean `flags`?"),
        ("denies: [{ call: openat, with: { flags: O_RDNLY } }]", "did you mean `O_RDONLY`?"),
        ("denies: [{ path: etc }]", "a path must start with `/`"),
        ("denies: [{ path: /a, with: { x: y } }]", "`with` is for calls"),
        ("denies: [{ path: /a, rights: [reed] }]", "did you mean `read`?"),
        ("denies: [{ path: /a, call: getpid }]", "about a call or a path, not about both"),
        ("denies: [{ answer: end }]", "must name a `call` or a `path`"), ("denies: []", "states no expectation"),
    ])
    func `every mistake in expectations is named with its place`(text: String, message: String) throws {
        let error = #expect(throws: PolicyError.self) { try Self.failures(text) }
        #expect(error.map { "\($0)" }?.contains(message) == true, "\(error.map { "\($0)" } ?? "")")
    }
}
