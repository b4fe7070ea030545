import Testing

@testable import AnnexPolicy

@Suite struct FilterNonceTests {
    static func answer(_ filter: SeccompFilter, nonce: UInt64, _ arguments: [UInt64]) throws -> FilterAnswer {
        let exec = try #require(SystemCall(named: "execveat", architecture: filter.architecture))
        let call = FilterEvaluator.Call(
            number: exec.number, architecture: filter.architecture.audit, arguments: arguments)
        return try FilterEvaluator(program: FilterInstruction.program(filter.instructions(nonce: nonce))).answer(
            to: call)
    }

    @Test(arguments: Architecture.allCases, [1, 0xFFFF_FFFF, 0x1_0000_0000, 0xDEAD_BEEF_0BAD_CAFE, .max] as [UInt64])
    func `only the random number of the launch passes the filter`(architecture: Architecture, nonce: UInt64) throws {
        let filter = try Policy.shipped(named: "compute", for: architecture).filter()
        #expect(try Self.answer(filter, nonce: nonce, [9, 1, 1, 1, 0x1000, nonce]) == .allow)
        for bit in 0..<64 as Range<UInt64> {
            #expect(try Self.answer(filter, nonce: nonce, [9, 1, 1, 1, 0x1000, nonce ^ (1 << bit)]) == .notify)
        }
        #expect(try Self.answer(filter, nonce: nonce, [9, 1, 1, 1, 0, nonce]) == .notify)
        #expect(try Self.answer(filter, nonce: nonce, [9, 1, 1, 1, 0x1100, nonce]) == .notify)
        #expect(try Self.answer(filter, nonce: nonce, [9, 1, 1, 1, 0x1_0000_1000, nonce]) == .notify)
        #expect(try Self.answer(filter, nonce: nonce, [9, 1, 1, 1, 0x1000, LaunchCalls.sentinel]) == .notify)
    }

    @Test func `the random number of a launch changes exactly two instructions`() throws {
        let filter = try Policy.shipped(named: "compute").filter()
        let one = FilterInstruction.program(filter.instructions(nonce: 0x1111_1111_2222_2222))
        let other = FilterInstruction.program(filter.instructions(nonce: 0x3333_3333_4444_4444))
        #expect(one.count == filter.count)
        #expect(zip(one, other).filter { $0 != $1 }.count == 2)
    }

    @Test func `a policy that compares with the sentinel is refused`() {
        let half = WholeNumber.hexadecimal(LaunchCalls.sentinel >> 32)
        #expect(PolicySamples.error("allow: [{ reason: a, calls: [{ call: getuid, when: { 0: \(half) } }] }]") != nil)
    }
}
