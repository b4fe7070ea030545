import Testing

@testable import AnnexPolicy

@Suite struct IncludeTests {
    static func named(_ name: String, including includes: String, _ rest: String = "") -> String {
        "policy: \(name)\nsummary: For a test.\nincludes: [\(includes)]\n\(rest)"
    }

    static func verdict(_ policy: Policy, _ name: String, _ arguments: [UInt64] = []) throws -> CallAnswer {
        let call = try #require(SystemCall(named: name, architecture: policy.architecture))
        return policy.verdict(number: call.number, arguments: arguments).answer
    }

    @Test func `a later file replaces the rules of earlier ones for a call`() throws {
        let first = Self.named(
            "first", including: "",
            "allow: [{ reason: a, calls: [getuid, { call: fcntl, when: { command: F_GETFD } }] }]")
        let policy = try PolicySamples.policy(
            "includes: [frame, first]\nallow: [{ reason: b, calls: [{ call: fcntl, when: { command: F_GETFL } }] }]"
                .replacing("includes: [frame, first]\n", with: ""),
            with: ["first": first, "frame": PolicySamples.frame])
        #expect(try Self.verdict(policy, "fcntl", [0, 3]) == .allow)
        #expect(try Self.verdict(policy, "fcntl", [0, 1]) == .deny(errno: 1, reported: true))
    }

    @Test func `an included file comes before its includers and counts once`() throws {
        let texts = [
            "frame": PolicySamples.frame,
            "bottom": Self.named("bottom", including: "frame", "allow: [{ reason: a, calls: [getuid] }]"),
            "left": Self.named("left", including: "bottom", "end: [{ reason: a, calls: [getuid] }]"),
            "right": Self.named("right", including: "bottom", "allow: [{ reason: a, calls: [getgid] }]"),
            "top": Self.named("top", including: "left, right", "limits: { memory: 1M }"),
        ]
        let policy = try PolicyLibrary(texts: texts).policy(named: "top")
        #expect(try Self.verdict(policy, "getuid") == .end)
        #expect(try Self.verdict(policy, "getgid") == .allow)
        #expect(policy.limits.memory == 1 << 20)
        #expect(policy.limits.file == 16 << 20)
    }

    @Test func `an include cycle is refused and shown`() {
        let texts = ["one": Self.named("one", including: "two"), "two": Self.named("two", including: "one")]
        let error = #expect(throws: PolicyError.self) { try PolicyLibrary(texts: texts).policy(named: "one") }
        #expect(error?.description == "two.yaml:3:12: the policy includes itself: one → two → one")
    }

    @Test func `the error for an unknown include suggests the nearest name`() {
        let texts = ["one": Self.named("one", including: "bse"), "base": Self.named("base", including: "")]
        let error = #expect(throws: PolicyError.self) { try PolicyLibrary(texts: texts).policy(named: "one") }
        #expect(error?.description == "one.yaml:3:12: unknown policy `bse`; did you mean `base`?")
    }

    @Test func `a policy with another name than its file is refused`() {
        let error = #expect(throws: PolicyError.self) {
            try PolicyLibrary(texts: ["one": Self.named("two", including: "")]).policy(named: "one")
        }
        #expect(
            error?.description
                == "one.yaml:1:9: the policy is named two, but its file is one.yaml: name the file two.yaml")
    }

    @Test func `calls of other architectures are checked and left out`() throws {
        let text = "allow: [{ reason: a, calls: [readlink, { call: open, when: { flags: { only: O_RDONLY } } }] }]"
        #expect(try PolicySamples.policy(text, for: .x86).allowedCalls.contains("readlink"))
        #expect(try !PolicySamples.policy(text, for: .arm).allowedCalls.contains("readlink"))
    }
}
