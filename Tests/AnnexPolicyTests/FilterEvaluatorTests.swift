import Testing

@testable import AnnexPolicy

/// Tests the evaluator with hand-written programs whose answers are known.
@Suite struct FilterEvaluatorTests {
    static let call = FilterEvaluator.Call(
        number: 7, architecture: 0xC000_003E, instructionPointer: 0x1111_2222_3333_4444,
        arguments: [0xAAAA_AAAA_BBBB_BBBB, 2, 3, 4, 5, 0x6666_6666_7777_7777])

    typealias I = FilterInstruction

    static let returnAccumulator = I(code: 0x16, operand: 0)

    /// Programs that load or calculate one word and return it.
    static let words: [([FilterInstruction], UInt32)] = [
        ([I(code: 0x20, operand: 0)], 7),
        ([I(code: 0x20, operand: 4)], 0xC000_003E),
        ([I(code: 0x20, operand: 8)], 0x3333_4444),
        ([I(code: 0x20, operand: 12)], 0x1111_2222),
        ([I(code: 0x20, operand: 16)], 0xBBBB_BBBB),
        ([I(code: 0x20, operand: 20)], 0xAAAA_AAAA),
        ([I(code: 0x20, operand: 60)], 0x6666_6666),
        ([I(code: 0x80, operand: 0)], 64),
        ([I(code: 0x00, operand: 9), I(code: 0x04, operand: .max)], 8),
        ([I(code: 0x00, operand: 9), I(code: 0x14, operand: 10)], .max),
        ([I(code: 0x00, operand: 9), I(code: 0x24, operand: 3)], 27),
        ([I(code: 0x00, operand: 9), I(code: 0x34, operand: 2)], 4),
        ([I(code: 0x00, operand: 9), I(code: 0x44, operand: 6)], 15),
        ([I(code: 0x00, operand: 9), I(code: 0x54, operand: 12)], 8),
        ([I(code: 0x00, operand: 9), I(code: 0x64, operand: 4)], 144),
        ([I(code: 0x00, operand: 9), I(code: 0x74, operand: 3)], 1),
        ([I(code: 0x00, operand: 9), I(code: 0x84, operand: 0)], 0xFFFF_FFF7),
        ([I(code: 0x00, operand: 9), I(code: 0xA4, operand: 1)], 8),
        ([I(code: 0x01, operand: 5), I(code: 0x00, operand: 9), I(code: 0x0C, operand: 0)], 14),
        (
            [
                I(code: 0x00, operand: 9), I(code: 0x02, operand: 15), I(code: 0x00, operand: 0),
                I(code: 0x60, operand: 15),
            ], 9
        ),
        ([I(code: 0x01, operand: 5), I(code: 0x03, operand: 1), I(code: 0x60, operand: 1)], 5),
        (
            [
                I(code: 0x00, operand: 9), I(code: 0x07, operand: 0), I(code: 0x00, operand: 1),
                I(code: 0x87, operand: 0),
            ], 9
        ),
        ([I(code: 0x05, operand: 1), I(code: 0x00, operand: 1), I(code: 0x04, operand: 3)], 3),
    ]

    @Test(arguments: words)
    func `the evaluator executes each instruction as the kernel does`(program: [FilterInstruction], expected: UInt32)
        throws
    {
        let evaluator = FilterEvaluator(program: program + [Self.returnAccumulator])
        #expect(try evaluator.answer(to: Self.call) == FilterAnswer(action: expected))
    }

    @Test(
        arguments: [
            (0x15, 9, true), (0x15, 8, false), (0x25, 8, true), (0x25, 9, false), (0x35, 9, true), (0x35, 10, false),
            (0x45, 1, true), (0x45, 6, false),
        ] as [(UInt16, UInt32, Bool)])
    func `the evaluator decides each kind of jump as the kernel does`(code: UInt16, operand: UInt32, taken: Bool) throws
    {
        let evaluator = FilterEvaluator(program: [
            I(code: 0x00, operand: 9), I(code: code, jumpTrue: 1, jumpFalse: 0, operand: operand),
            I(code: 0x06, operand: 0x7FFF_0000), I(code: 0x06, operand: 0x7FC0_0000),
        ])
        #expect(try evaluator.answer(to: Self.call) == (taken ? .notify : .allow))
    }

    @Test func `a program that the kernel would reject is a fault`() {
        let faulty: [[FilterInstruction]] = [
            [], [I(code: 0x20, operand: 64), Self.returnAccumulator],
            [I(code: 0x20, operand: 2), Self.returnAccumulator],
            [I(code: 0x28, operand: 0), Self.returnAccumulator], [I(code: 0x05, operand: .max)],
            [I(code: 0x34, operand: 0), Self.returnAccumulator], [I(code: 0x60, operand: 16), Self.returnAccumulator],
            [I(code: 0x94, operand: 1), Self.returnAccumulator], [I(code: 0xFFFF, operand: 0)],
        ]
        for program in faulty {
            #expect(throws: FilterEvaluator.Fault.self) {
                try FilterEvaluator(program: program).answer(to: Self.call)
            }
        }
    }

    @Test func `any bytes end in an answer or a fault`() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            let program = (0..<Int.random(in: 1...24)).map { _ in
                FilterInstruction(
                    code: UInt16.random(in: 0...0xBF, using: &random), jumpTrue: .random(in: 0...9),
                    jumpFalse: .random(in: 0...9),
                    operand: Bool.random() ? .random(in: 0...70) : .random(in: 0 ... .max))
            }
            _ = try? FilterEvaluator(program: program).answer(to: Self.call)
        }
    }
}
