import Testing

@testable import AnnexPolicy

/// The files of a group belong to the user of the broker, and the files of root belong to a program of root by an id map.
/// So no program may make a file there that runs with the rights of the file's owner or group.
@Suite(.timeLimit(.minutes(20))) struct IdentityBitsTests {
    /// Every shipped policy, also with each entitlement and each pair of allowances.
    private static var shipped: [String] {
        let library = PolicyLibrary.shipped
        let pairs = library.allowances.flatMap { one in library.allowances.map { one == $0 ? one : "\(one)+\($0)" } }
        return library.names + pairs.map { "tool+\($0)" } + ["workspace+com.apple.security.application-groups"]
    }

    @Test func `S1: no shipped policy lets a program make a file that runs as its owner or group`() throws {
        for name in Self.shipped {
            let call = try Policy.shipped(named: name).identityCallOfRules
            #expect(call == nil, "\(name) allows \(call ?? "")")
        }
    }

    @Test(
        arguments: [
            ("chmod", [0, 0o2775]), ("fchmod", [3, 0o4755]), ("fchmodat", [3, 0, 0o6755]),
            ("fchmodat2", [3, 0, 0o2755, 0]), ("creat", [0, 0o4755]), ("mknod", [0, 0o104755]),
            ("mknodat", [3, 0, 0o2644]), ("open", [0, 0o101, 0o4755]), ("openat", [3, 0, 0o101, 0o4755]),
            ("openat", [3, 0, 0o20200001, 0o2755]), ("openat2", [3, 0, 0, 24]), ("io_uring_setup", [8, 0]),
        ] as [(String, [UInt64])])
    func `S1: no remedy lets a program make a file that runs as its owner or group`(
        call: String, arguments: [UInt64]
    ) throws {
        let number = try #require(SystemCall(named: call, architecture: .x86)).number
        for name in ["tool", "base", "compute"] {
            let policy = try PolicyLibrary.shipped.policy(named: name, for: .x86)
            let verdict = policy.verdict(number: number, arguments: arguments)
            let isSeen = !["openat2", "io_uring_setup"].contains(call)
            #expect(verdict.remedy == .identityBits(isSeen: isSeen), "\(name)")
            #expect(verdict.answer != .allow && verdict.remedy?.text == nil)
        }
    }

    @Test(
        arguments: [
            ("chmod", [0, 0o755]), ("fchmodat", [3, 0, 0o1777]), ("mknod", [0, 0o100644]), ("open", [0, 0o101, 0o644]),
            ("openat", [3, 0, 0o1, 0o4755]), ("creat", [0, 0o644]),
        ] as [(String, [UInt64])])
    func `S1: a remedy for another mode allows its call, and no other mode`(call: String, arguments: [UInt64]) throws {
        let number = try #require(SystemCall(named: call, architecture: .x86)).number
        let first = try PolicySamples.policy("", for: .x86)
        guard case .entry(let remedy) = first.verdict(number: number, arguments: arguments).remedy else {
            Issue.record("no entry allows the call")
            return
        }
        let wider = try policy(calls: remedy.line, for: .x86)
        #expect(wider.answer(number: number, arguments: arguments) == .allow, "\(remedy)")
        #expect(wider.callForIdentityBits == nil, "\(remedy)")
    }

    private func policy(calls: String, for architecture: Architecture = .current) throws -> Policy {
        let text = """
            policy: own
            summary: Allows a call in any form.
            includes: [compute]
            allow:
              - reason: A test.
                calls: [\(calls)]
            """
        return try PolicyLibrary.shipped.adding(["own": (text: text, file: "own.yaml")])
            .policy(named: "own", for: architecture)
    }

    @Test(arguments: ["fchmod", "openat", "openat2", "mknodat"])
    func `S1: a call that could make such a file is named`(call: String) throws {
        #expect(try policy(calls: call).callForIdentityBits == call)
    }

    @Test(
        arguments: [
            ("{ call: chmod, when: { mode: 0x9ed } }", "chmod"), ("{ call: chmod, when: { mode: 0x1ed } }", nil),
            ("{ call: chmod, when: { mode: { without: 0x800 } } }", "chmod"),
            ("{ call: chmod, when: { mode: { without: 0xc00 } } }", nil),
            ("{ call: openat, when: { flags: { without: O_CREAT } } }", "openat"),
            ("{ call: openat, when: { flags: { without: [O_CREAT, 0x400000] } } }", nil),
            ("{ call: openat, when: { flags: { has: O_EXCL } } }", "openat"),
            ("{ call: mknod, when: { mode: { mask: 0xf000, is: 0 } } }", "mknod"),
            ("{ call: mknod, when: { mode: { mask: 0xf000, is: 0x1000 } } }", nil),
        ] as [(String, String?)])
    func `S1: what a rule compares decides, whichever mode a program would choose`(
        rule: String, call: String?
    ) throws {
        #expect(try policy(calls: rule).callForIdentityBits == call, "\(rule)")
    }
}
