import AnnexTestSupport
import Testing

@testable import AnnexPolicy
@testable import AnnexPolicyTools

@Suite struct DifferenceTests {
    static func difference(_ first: String, _ second: String) throws -> PolicyDifference {
        try PolicyDifference(between: try PolicySamples.policy(first), and: try PolicySamples.policy(second))
    }

    static func text(_ difference: PolicyDifference) -> String {
        difference.lines.map(\.text).joined(separator: "\n")
    }

    @Test func `a policy does not differ from itself`() throws {
        for name in PolicyLibrary.shipped.names {
            let policy = try Policy.shipped(named: name)
            #expect(try PolicyDifference(between: policy, and: policy).isEmpty)
        }
    }

    @Test func `the same rule in other words is no difference`() throws {
        let one = "allow: [{ reason: a, calls: [{ call: lseek, when: { whence: [0, 1] } }] }]"
        let other = """
            allow:
              - { reason: b, calls: [{ call: lseek, when: { whence: SEEK_CUR } }] }
              - { reason: c, calls: [{ call: lseek, when: { whence: SEEK_SET } }] }
            """
        #expect(try Self.difference(one, other).isEmpty)
    }

    @Test func `one additional value is found with an example`() throws {
        let found = try Self.difference(
            "allow: [{ reason: a, calls: [{ call: lseek, when: { whence: [0, 1, 4] } }] }]",
            "allow: [{ reason: a, calls: [{ call: lseek, when: { whence: [0, 1] } }, getppid] }]")
        #expect(found.calls.map(\.call.name).sorted() == ["getppid", "lseek"])
        #expect(Self.text(found).contains("for example lseek(0, 0, SEEK_HOLE); test: EPERM"))
        #expect(Self.text(found).contains("getppid: always; test: EPERM"))
    }

    @Test func `another error for a denied call is a difference that allows nothing`() throws {
        let found = try Self.difference(
            "refuse: [{ reason: a, answer: ENOSYS, calls: [clone3] }]",
            "refuse: [{ reason: a, answer: EPERM, calls: [clone3] }]")
        #expect(found.calls.map(\.otherwise.isEmpty) == [false])
        #expect(Self.text(found).contains("test: refused with ENOSYS; test: refused with EPERM"))
    }

    @Test func `paths, devices, network, environment and limits are compared`() throws {
        let wide = """
            paths: { bundle: [read, execute], private: none, proc: none, grants: [{ reason: a, rights: [read], paths: [/usr/share] }] }
            devices: [null]
            environment: { pass: [LANG, HOME], set: {} }
            write-xor-execute: off
            limits: { memory: 1G }
            allow: [{ reason: a, calls: [openat] }]
            """
        let narrow = "allow: [{ reason: a, calls: [openat] }]\nwrite-xor-execute: on\n"
        let found = try Self.difference(wide, narrow)
        let text = Self.text(found)
        for part in [
            "/usr/share [read]", "/dev/null [read, write]", "limit memory: 1G; test: 64M",
            "write-xor-execute: off; test: on",
        ] {
            #expect(text.contains(part), "\(part) in \(text)")
        }
        #expect(found.facts.contains { $0.title == "environment" })
    }

    /// If the comparison finds no difference between two policies, the policies must not differ. An evaluator that shares no code with the
    /// comparison checks this.
    @Test(arguments: 1...30 as ClosedRange<UInt64>)
    func `the calls named as different are those that the evaluator answers differently`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let first = try PolicySamples.policy(Self.randomRules(&random))
        let second = try PolicySamples.policy(Self.randomRules(&random))
        let found = try PolicyDifference(between: first, and: second)
        let named = Set(found.calls.map(\.call.number))
        for number in 0..<1024 as Range<Int32> {
            var differs = false
            for judge in [first, second] {
                let filter = try FilterChecker(policy: judge, filter: judge.filter())
                for arguments in filter.edges(of: number) {
                    let one = first.answer(number: number, arguments: arguments)
                    if one != second.answer(number: number, arguments: arguments) { differs = true }
                }
            }
            #expect(named.contains(number) || !differs, "\(number)")
        }
        for call in found.calls {
            for arguments in call.onlyFirst {
                #expect(first.answer(number: call.call.number, arguments: arguments) == .allow)
                #expect(second.answer(number: call.call.number, arguments: arguments) != .allow)
            }
        }
    }

    private static func randomRules(_ random: inout SeededRandom) -> String {
        let entries = [
            "getppid", "{ call: lseek, when: { whence: [SEEK_SET, SEEK_CUR] } }",
            "{ call: lseek, when: { whence: 1 } }",
            "{ call: lseek, when: { offset: { below: 4096 }, whence: 2 } }",
            "{ call: dup3, when: { flags: O_CLOEXEC } }",
            "{ call: mprotect, when: { prot: { without: PROT_EXEC } } }",
            "{ call: mprotect, when: { prot: { only: [PROT_READ] } } }",
            "{ call: pread64, when: { offset: { not: 7 } } }",
        ]
        let chosen = entries.filter { _ in Bool.random(using: &random) }
        return chosen.isEmpty ? "" : "allow:\n  - reason: a\n    calls:\n" + chosen.map { "      - \($0)\n" }.joined()
    }
}
