import Testing

@testable import AnnexPolicy

/// `OWN_USER` and `OWN_GROUP` mean the sandbox's own user and group, whatever their numbers are.
@Suite struct OwnNumbersTests {
    /// The policy `tool`, and `tool` with each allowance.
    static let policies = ["tool"] + PolicyLibrary.shipped.allowances.map { "tool+\($0)" }
    static let apart = [
        OwnNumbers(user: 1000, group: 100), OwnNumbers(user: 4242, group: 0), OwnNumbers(user: 1, group: .max - 1),
        OwnNumbers(user: 0x7FFF_FFFF, group: 65534), OwnNumbers(user: OwnNumbers.groupWord, group: OwnNumbers.userWord),
    ]
    static let same = [OwnNumbers.hidden, OwnNumbers(user: 1000, group: 1000), OwnNumbers(user: 7, group: 7)]

    private static func listed(_ values: String, call: String = "setresuid", argument: String = "real") -> String {
        "allow: [{ reason: a, calls: [{ call: \(call), when: { \(argument): \(values) } }] }]"
    }

    private static func answer(_ policy: Policy, _ name: String, _ arguments: [UInt64]) throws -> CallAnswer {
        let number = try #require(SystemCall(named: name, architecture: policy.architecture)).number
        return policy.answer(number: number, arguments: arguments + [UInt64](repeating: 0, count: 6 - arguments.count))
    }

    @Test(arguments: policies, Architecture.allCases)
    func `a filter with words becomes the filter that is compiled for the numbers`(
        name: String, architecture: Architecture
    ) throws {
        let policy = try Policy.shipped(named: name, for: architecture)
        let words = try policy.filter()
        // For usual numbers, even the bytes are the same. For others, libseccomp may choose another order.
        let usual = OwnNumbers(user: 1000, group: 100)
        #expect(try words.owned(by: usual).template == policy.owned(by: usual).filter().template)
        for own in Self.apart + Self.same {
            let checker = FilterChecker(policy: policy.owned(by: own), filter: words.owned(by: own))
            #expect(checker.firstDifference(among: 0..<1024, architecture: architecture.audit) == nil, "\(own)")
        }
    }

    @Test(arguments: same + [OwnNumbers(user: 1000, group: 100)])
    func `only the own user and group of the sandbox can be set`(own: OwnNumbers) throws {
        let policy = try Policy.shipped(named: "tool").owned(by: own)
        let (user, group, none) = (UInt64(own.user), UInt64(own.group), UInt64(UInt32.max))
        #expect(try Self.answer(policy, "setresuid", [user, user, none]) == .allow)
        #expect(try Self.answer(policy, "setgid", [group]) == .allow)
        #expect(try Self.answer(policy, "fchownat", [0, 0, user, group, 0]) == .allow)
        let refused = CallAnswer.deny(errno: 1, reported: true)
        for stranger in [0, 4711, UInt64(OwnNumbers.userWord), UInt64(OwnNumbers.groupWord)] {
            #expect(try Self.answer(policy, "setresuid", [user, stranger, user]) == refused, "\(stranger)")
            #expect(try Self.answer(policy, "setgid", [stranger]) == refused, "\(stranger)")
            #expect(try Self.answer(policy, "chown", [0, user, stranger]) == refused, "\(stranger)")
        }
        if own.user != own.group { #expect(try Self.answer(policy, "setuid", [group]) == refused) }
    }

    @Test func `a policy without the words stays as it is`() throws {
        let policy = try Policy.shipped(named: "compute")
        let own = OwnNumbers(user: 1000, group: 1000)
        #expect(try policy.owned(by: own) == policy && policy.owned(by: own).filter() == policy.filter())
    }

    @Test(
        arguments: [
            "{ mask: OWN_USER, is: 0 }", "{ below: OWN_USER }", "{ has: OWN_USER }", "0xe3b570c1", "3820318913",
            "[0, OWN_GROUP]",
        ])
    func `the words can only be listed as values of a user or a group`(values: String) {
        #expect(PolicySamples.error(Self.listed(values)) != nil, "\(values)")
    }

    @Test func `no other argument is compared with the number of a word`() {
        let error = PolicySamples.error(Self.listed("0xe3b570c1", call: "ioctl", argument: "request"))
        #expect(error?.description.contains("stands for OWN_USER") == true, "\(String(describing: error))")
        for half in ["0xe3b570c100000000", "0x1e3b570c2"] {
            let error = PolicySamples.error(Self.listed(half, call: "lseek", argument: "offset"))
            #expect(error?.description.contains("OWN_USER") == true, "\(half) \(String(describing: error))")
        }
    }

    @Test func `a filter in which other users stand beside the words is not compiled ahead`() throws {
        let mixed = try PolicySamples.policy(Self.listed("[OWN_USER, 1000]"))
        #expect(throws: PolicyError.self) { try FilterProof.prove(mixed, reporting: .denials) }
        // It is compiled for the numbers of each sandbox instead.
        let own = mixed.owned(by: OwnNumbers(user: 1000, group: 5))
        #expect(try Self.answer(own, "setresuid", [1000]) == .allow)
        #expect(throws: Never.self) { try FilterProof.prove(own, reporting: .denials) }
        let plain = try PolicySamples.policy(Self.listed("[OWN_USER, 0xffffffff]"))
        #expect(throws: Never.self) { try FilterProof.prove(plain, reporting: .denials) }
    }

    @Test func `the words of the tables are those of filters`() throws {
        let kinds = SystemCallTable.of(.x86).kinds
        #expect(kinds["user"]?.value(named: "OWN_USER") == UInt64(OwnNumbers.userWord))
        #expect(kinds["group"]?.value(named: "OWN_GROUP") == UInt64(OwnNumbers.groupWord))
        let rules = try Policy.shipped(named: "tool").rules.values.flatMap { $0 }
        let setuid = rules.first { $0.call == "setuid" }
        #expect(setuid?.applies(to: [UInt64(OwnNumbers.userWord)]) == true)
    }
}
