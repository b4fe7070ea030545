import Testing

@testable import AnnexPolicy

/// The instructions that refer executions to the broker change no other answer of a filter.
@Suite struct ExecutionCallsTests {
    private static let modes = ["access": 1, "faccessat": 2, "faccessat2": 2]

    private static func isReferred(
        _ call: FilterEvaluator.Call, _ architecture: Architecture, connects: Bool
    ) -> Bool {
        guard call.architecture == architecture.audit else { return false }
        let name = SystemCall(number: call.number, architecture: architecture)?.name ?? ""
        if name == "execve" || connects && name == "connect" { return true }
        return Self.modes[name].map { call.arguments[$0] & 1 != 0 } ?? false
    }

    @Test(arguments: PolicyLibrary.shipped.names, Architecture.allCases)
    func `SEC-13: only executions and questions about them are referred, and the answer is that of the filter`(
        name: String, architecture: Architecture
    ) throws {
        try check(Policy.shipped(named: name, for: architecture), architecture, connects: false)
    }

    @Test(arguments: Architecture.allCases)
    func `connections to socket files are referred too, and the answer is that of the filter`(
        architecture: Architecture
    ) throws {
        try check(Policy.shipped(named: "tool+sockets", for: architecture), architecture, connects: true)
    }

    private func check(_ policy: Policy, _ architecture: Architecture, connects: Bool) throws {
        let filter = try policy.filter()
        let calls = try #require(ExecutionCalls(before: filter, connects: connects))
        let whole = FilterEvaluator(program: FilterInstruction.program(calls.instructions + filter.template))
        let plain = FilterEvaluator(program: filter.program)
        let checker = FilterChecker(policy: policy, filter: filter)
        let modes: [[UInt64]] = [1, 5, 4, 1 << 32].map { [7, $0, $0, 0, 0, 0] }
        for audit in Set(Architecture.allCases.map(\.audit) + [0x4000_0003]) {
            for number in Array(0..<1024) + FilterEquivalenceTests.x32 {
                for arguments in checker.edges(of: number) + modes {
                    let call = FilterEvaluator.Call(number: number, architecture: audit, arguments: arguments)
                    let own = try plain.answer(to: call)
                    let isReferred = Self.isReferred(call, architecture, connects: connects)
                    let found = try whole.answer(to: call)
                    if found != (isReferred ? .notify : own) { Issue.record("\(call): \(found)") }
                    let answer = calls.answer(number: number, architecture: audit, arguments: arguments)
                    if answer != (isReferred ? own : nil) { Issue.record("\(call): \(String(describing: answer))") }
                }
            }
        }
    }

    /// The broker evaluates the filter with a placeholder for the random number of the launch. A program could name
    /// this placeholder.
    @Test(arguments: Architecture.allCases)
    func `no call with the placeholder of the launch is answered`(architecture: Architecture) throws {
        let filter = try Policy.shipped(named: "tool", for: architecture).filter()
        let calls = try #require(ExecutionCalls(before: filter))
        let exec = try #require(SystemCall(named: LaunchCalls.exec, architecture: architecture))
        let arguments = [0, 0, 0, 0, LaunchCalls.execFlags, LaunchCalls.sentinel]
        #expect(calls.answer(number: exec.number, architecture: architecture.audit, arguments: arguments) == nil)
    }
}
