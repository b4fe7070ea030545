import Testing

@testable import AnnexPolicy

/// The calls that a filter reports to its listener.
@Suite struct FilterReportsTests {
    @Test(arguments: PolicyLibrary.shipped.names, Architecture.allCases)
    func `SEC-13: a filter with more reports lets the same calls pass`(name: String, architecture: Architecture) throws
    {
        let policy = try Policy.shipped(named: name, for: architecture)
        for reporting in FilterReports.allCases {
            let filter = try policy.filter(reporting: reporting)
            let judge = FilterChecker(policy: policy, filter: filter, reporting: reporting)
            let numbers = Array(0..<1024) + FilterEquivalenceTests.x32
            #expect(judge.firstDifference(among: numbers, architecture: architecture.audit) == nil)
        }
    }

    static func answer(_ policy: Policy, _ name: String, _ reporting: FilterReports) throws -> FilterAnswer {
        let call = try #require(SystemCall(named: name, architecture: policy.architecture))
        let judge = FilterChecker(policy: policy, filter: try policy.filter(reporting: reporting))
        return try judge.evaluator.answer(
            to: FilterEvaluator.Call(
                number: call.number, architecture: policy.architecture.audit, arguments: [0, 0, 0, 0, 0, 0]))
    }

    @Test(arguments: Architecture.allCases)
    func `each way of reporting reports its own calls`(architecture: Architecture) throws {
        let policy = try Policy.shipped(named: "com.apple.ui-services", for: architecture)
        #expect(try Self.answer(policy, "openat", .denials) == .allow)
        #expect(try Self.answer(policy, "openat", .paths) == .notify)
        #expect(try Self.answer(policy, "openat", .everything) == .notify)
        #expect(try Self.answer(policy, "getpid", .paths) == .allow)
        #expect(try Self.answer(policy, "getpid", .everything) == .notify)
        #expect(try Self.answer(policy, "socket", .denials) == .notify)
        for name in LaunchCalls.names {
            #expect(try Self.answer(policy, name, .everything) == .allow)
        }
    }
}
