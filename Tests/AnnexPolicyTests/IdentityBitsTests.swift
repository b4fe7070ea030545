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

    private func policy(calls: String) throws -> Policy {
        let text = """
            policy: own
            summary: Allows a call in any form.
            includes: [compute]
            allow:
              - reason: A test.
                calls: [\(calls)]
            """
        return try PolicyLibrary.shipped.adding(["own": (text: text, file: "own.yaml")]).policy(named: "own")
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
