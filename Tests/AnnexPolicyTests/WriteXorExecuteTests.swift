import Testing

@testable import AnnexPolicy

/// Tests `write-xor-execute: on`. This switch of a policy adds conditions to all allowed calls that give memory.
@Suite struct WriteXorExecuteTests {
    /// A policy that allows all calls that give memory. So only `write-xor-execute: on` prevents a program from
    /// getting memory that it can write and execute.
    static let everything = """
        allow:
          - reason: All of it.
            calls: [mmap, mprotect, pkey_mprotect, shmat, personality, getpid]
        """

    static func policy(_ text: String = everything, _ value: String = "on") throws(PolicyError) -> Policy {
        try PolicySamples.policy("write-xor-execute: \(value)\n" + text)
    }

    static func answer(_ policy: Policy, _ name: String, _ arguments: [UInt64]) throws -> CallAnswer {
        policy.verdict(number: try #require(SystemCall(named: name)).number, arguments: arguments).answer
    }

    static let kept: [(String, [UInt64])] = [
        ("mmap", [0, 4096, 3, 0x22, 0, 0]), ("mmap", [0, 4096, 5, 2, 3, 0]), ("mmap", [0, 4096, 0, 2, 3, 0]),
        ("mprotect", [0, 4096, 3]), ("mprotect", [0, 4096, 0]), ("pkey_mprotect", [0, 4096, 1, 0]),
        ("shmat", [0, 0, 0]), ("shmat", [0, 0, 0x1000]),
        ("personality", [0xFFFF_FFFF]), ("personality", [0]),
    ]

    @Test(arguments: kept)
    func `PROC-05: calls that keep writing and executing apart stay allowed`(name: String, arguments: [UInt64]) throws {
        #expect(try Self.answer(try Self.policy(), name, arguments) == .allow)
    }

    static let broken: [(String, [UInt64])] = [
        ("mmap", [0, 4096, 7, 0x22, 0, 0]), ("mmap", [0, 4096, 6, 0x22, 0, 0]),
        ("mmap", [0, 4096, 0xFFFF_FFFF_0000_0007, 2, 3, 0]), ("mprotect", [0, 4096, 5]), ("mprotect", [0, 4096, 4]),
        ("mprotect", [0, 4096, 7]), ("pkey_mprotect", [0, 4096, 5, 1]), ("shmat", [0, 0, 0x8000]),
        ("shmat", [0, 0, 0x9000]), ("personality", [0x40_0000]), ("personality", [0xFFFF_FFFF_0040_0000]),
    ]

    @Test(arguments: broken)
    func `PROC-05: a call that joins both is denied with the switch as the reason`(
        name: String, arguments: [UInt64]
    ) throws {
        let policy = try Self.policy()
        #expect(try Self.answer(policy, name, arguments) == .deny(errno: 1, reported: true))
        let verdict = policy.verdict(number: try #require(SystemCall(named: name)).number, arguments: arguments)
        #expect(verdict.place.description == "test.yaml:4:20")
        #expect(verdict.remedy == .writeXorExecuteOff)
        #expect(try Self.answer(try Self.policy(Self.everything, "off"), name, arguments) == .allow)
    }

    @Test(arguments: Architecture.allCases)
    func `SEC-13: the filter for write-xor-execute answers as the policy says`(architecture: Architecture) throws {
        let policy = try PolicySamples.policy("write-xor-execute: on\n" + Self.everything, for: architecture)
        let judge = FilterChecker(policy: policy, filter: try policy.filter())
        #expect(judge.firstDifference(among: 0..<1024, architecture: architecture.audit) == nil)
    }

    @Test func `conditions of the policy itself hold as well`() throws {
        let policy = try Self.policy(
            """
            allow:
              - reason: Some of it.
                calls:
                  - { call: mmap, when: { prot: { has: PROT_READ }, flags: { has: MAP_PRIVATE } } }
            """)
        #expect(try Self.answer(policy, "mmap", [0, 1, 5, 2, 3, 0]) == .allow)
        #expect(try Self.answer(policy, "mmap", [0, 1, 7, 2, 3, 0]) != .allow)
        #expect(try Self.answer(policy, "mmap", [0, 1, 4, 2, 3, 0]) != .allow)
        #expect(try Self.answer(policy, "mmap", [0, 1, 5, 1, 3, 0]) != .allow)
    }

    /// The rule of this test applies to memory files with any seals and any mode. A memory file lies on no mount that
    /// could forbid an executable mapping.
    @Test func `PROC-05: memory files are made only if no file can become code`() throws {
        let policy = try Self.policy(
            "allow: [{ reason: a, calls: [memfd_create, { call: mmap, when: { prot: { without: PROT_EXEC } } }] }]")
        #expect(try Self.answer(policy, "memfd_create", [0, 3]) == .allow)
        #expect(try Self.answer(policy, "mmap", [0, 1, 4, 2, 3, 0]) != .allow)
        let error = PolicySamples.error("write-xor-execute: on\nallow: [{ reason: a, calls: [memfd_create, mmap] }]")
        #expect("\(try #require(error))".contains("`memfd_create` bypasses `write-xor-execute: on`"))
        #expect(try !Policy.shipped(named: "tool").allowedCalls.contains("memfd_create"))
    }

    static let contradictions: [(String, String)] = [
        (
            "{ call: mmap, when: { prot: { exactly: [PROT_WRITE, PROT_EXEC] } } }",
            "test.yaml:5:30: the rule allows only calls that `write-xor-execute: on` forbids"
        ),
        (
            "{ call: mprotect, when: { prot: { has: PROT_EXEC } } }",
            "test.yaml:5:30: the rule allows only calls that `write-xor-execute: on` forbids"
        ),
        (
            "{ call: mmap, when: { prot: { atMost: 3 } } }",
            "test.yaml:5:30: `write-xor-execute: on` needs a condition on bits"
        ),
        ("memfd_secret", "test.yaml:5:30: `memfd_secret` bypasses `write-xor-execute: on`"),
        ("ptrace", "test.yaml:5:30: `ptrace` bypasses `write-xor-execute: on`"),
    ]

    @Test(arguments: contradictions)
    func `rules that contradict the switch are refused with their place`(call: String, expected: String) throws {
        let text = "write-xor-execute: on\nallow: [{ reason: a, calls: [\(call)] }]"
        let error = try #require(PolicySamples.error(text))
        #expect("\(error)".hasPrefix(expected), "\(error)")
        #expect(PolicySamples.error(text.replacing("execute: on", with: "execute: off")) == nil)
    }

    @Test(arguments: PolicyLibrary.shipped.names)
    func `PROC-05: no shipped policy lets memory be writable and executable`(name: String) throws {
        let policy = try Policy.shipped(named: name)
        // Only the policy `tool`, which is not for extensions, may turn `write-xor-execute` off.
        guard policy.writeXorExecute else {
            #expect(name == "tool")
            return
        }
        for (call, arguments) in Self.broken {
            #expect(try Self.answer(policy, call, arguments) != .allow, "\(call)")
        }
    }
}
