import AnnexTestSupport
import Testing

@testable import AnnexPolicy
@testable import AnnexPolicyTools

/// If a policy is written as text and parsed again, the result is the same policy.
@Suite struct PolicyWritingTests {
    @Test(arguments: PolicyLibrary.shipped.names, Architecture.allCases)
    func `a joined policy text gives the same policy`(name: String, architecture: Architecture) throws {
        let policy = try Policy.shipped(named: name, for: architecture)
        let again = try PolicyLibrary(texts: [name: policy.joinedText]).policy(named: name, for: architecture)
        let difference = try PolicyDifference(between: policy, and: again)
        #expect(difference.isEmpty, "\(difference.lines.map(\.text).joined(separator: "\n"))")
        #expect(again.limits == policy.limits && again.environment == policy.environment)
    }

    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func `every condition that is written reads back the same`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let calls = try ["openat", "mmap", "futex", "socket", "fcntl", "lseek", "clone", "dup", "statmount"].map {
            try #require(SystemCall(named: $0))
        }
        for _ in 0..<50 {
            let call = try #require(calls.randomElement(using: &random))
            let kind = call.arguments?.first { !$0.kind.constants.isEmpty }?.kind ?? .register
            let comparisons = (0..<Int.random(in: 1...3, using: &random)).map { _ in Self.comparison(kind, &random) }
            let index = call.arguments?.firstIndex { $0.kind == kind } ?? 5
            let condition = CallCondition(index: index, alternatives: comparisons)
            let rule = CallRule(
                call: call.name, conditions: [condition], answer: .allow, reason: "",
                place: PolicyPlace(file: "", line: 0, column: 0))
            let entries = Array(Set(rule.entries(for: .current))).sorted()
            let text = "allow:\n  - reason: a\n    calls:\n" + entries.map { "      - \($0)\n" }.joined()
            let policy = try PolicySamples.policy(text)
            for arguments in CallEdges(rules: [rule]).arguments {
                let allowed = policy.rules[call.number]?.contains { $0.applies(to: arguments) } ?? false
                #expect(allowed == condition.holds(arguments), "\(entries) \(arguments)")
            }
        }
    }

    private static func comparison(_ kind: ArgumentKind, _ random: inout SeededRandom) -> Comparison {
        func value() -> UInt64 {
            let names = (0..<Int.random(in: 1...3, using: &random)).compactMap { _ in
                kind.constants.randomElement(using: &random)?.value
            }
            let number = UInt64.random(in: 0...9, using: &random) << UInt64.random(in: 0...40, using: &random)
            return names.isEmpty || Bool.random(using: &random) ? number : names.reduce(0, |)
        }
        let (mask, bound) = (value() | value(), value())
        return switch Int.random(in: 0..<9, using: &random) {
        case 0: .not(bound)
        case 1: .below(bound)
        case 2: .atMost(bound)
        case 3: .above(bound)
        case 4: .atLeast(bound)
        case 5: .masked(mask: kind.mask & ~mask, value: bound & kind.mask & ~mask)
        case 6: .masked(mask: kind.mask, value: bound & kind.mask)
        case 7: .masked(mask: .max, value: bound)
        default: .masked(mask: mask, value: bound & mask)
        }
    }

    @Test(arguments: ["plain", "a: b", "it's", "#x", "true", "", "x\ny", "- a", "{", "ends:", "é – …", "a # b"])
    func `any text can be written as a scalar`(text: String) throws {
        let policy = PolicyPage(name: "p", summary: text.isEmpty ? "x" : text).text
        let root = try PolicyNode.root(of: policy, file: "p.yaml")
        let summary = try #require(try root.mapping("a", keys: ["policy", "summary"])["summary"])
        #expect(try summary.text("a") == (text.isEmpty ? "x" : text.replacing("\n", with: " ")))
    }
}
