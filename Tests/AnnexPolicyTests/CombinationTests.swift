import Testing

@testable import AnnexPolicy

/// A filter has one path for each way in which its rules apply. A small text must not require more paths than the
/// compiler can make.
@Suite(.timeLimit(.minutes(20))) struct CombinationTests {
    private static func values(_ count: Int) -> String { (1...count).map { "\($0 * 7)" }.joined(separator: ", ") }

    private static func rule(_ call: String, _ lists: [String: Int]) -> String {
        let conditions = lists.sorted { $0.key < $1.key }.map { "\($0.key): [\(values($0.value))]" }
        return "- { call: \(call), when: { \(conditions.joined(separator: ", ")) } }"
    }

    private static func policy(_ rules: [String], writeXorExecute: String = "off") throws(PolicyError) -> Policy {
        let lines = rules.map { "      \($0)\n" }.joined()
        return try PolicySamples.policy(
            "write-xor-execute: \(writeXorExecute)\nallow:\n  - reason: Many.\n    calls:\n" + lines)
    }

    static let tooMany: [[String: Int]] = [
        ["0": 1025], ["0": 32, "1": 33], ["0": 4, "1": 4, "2": 4, "3": 4, "4": 4, "5": 4],
        ["0": 5, "1": 5, "2": 5, "3": 5, "4": 5, "5": 5],
        // The product of these counts does not fit into 64 bits.
        ["0": 4096, "1": 4096, "2": 4096, "3": 4096, "4": 4096, "5": 4096],
    ]

    @Test(arguments: tooMany)
    func `SEC-13: too many combinations are refused with their place before any is made`(lists: [String: Int]) throws {
        let error = #expect(throws: PolicyError.self) { try Self.policy([Self.rule("pselect6", lists)]) }
        let text = error?.description ?? ""
        #expect(text.hasPrefix("test.yaml:8:9: `pselect6` has more than 1024 combinations of values"), "\(text)")
    }

    @Test(arguments: [["0": 300], ["0": 16, "1": 16], ["0": 3, "1": 3, "2": 3, "3": 3, "4": 3]])
    func `SEC-13: the largest number of combinations that is accepted becomes a filter`(lists: [String: Int]) throws {
        let policy = try Self.policy([Self.rule("pselect6", lists)])
        let filter = try policy.filter()
        let number = try #require(SystemCall(named: "pselect6")).number
        let judge = FilterChecker(policy: policy, filter: filter)
        #expect(judge.firstDifference(among: [number], architecture: policy.architecture.audit) == nil)
    }

    @Test func `SEC-13: the rules of one call are counted together`() throws {
        let rules = [Self.rule("pselect6", ["0": 512]), Self.rule("pselect6", ["1": 512])]
        _ = try Self.policy(rules)
        #expect(throws: PolicyError.self) { try Self.policy(rules + ["- { call: pselect6, when: { 2: 1 } }"]) }
    }

    @Test func `SEC-13: the combinations that write-xor-execute adds are counted too`() throws {
        let rule = "- { call: personality, when: { 1: [\(Self.values(600))] } }"
        _ = try Self.policy([rule])
        #expect(throws: PolicyError.self) { try Self.policy([rule], writeXorExecute: "on") }
    }

    @Test func `SEC-13: the calls of a policy are counted together`() throws {
        let calls = SystemCallTable.allNames.filter { SystemCall(named: $0)?.arguments?.isEmpty == false }
        let rules = calls.sorted().filter { !LaunchCalls.names.contains($0) && $0 != LaunchCalls.exec }.prefix(5)
            .map { Self.rule($0, ["5": 1000]) }
        let error = #expect(throws: PolicyError.self) { try Self.policy(Array(rules)) }
        #expect(error?.problem.contains("more than 4096 combinations") == true, "\(String(describing: error))")
    }
}
