import Testing

@testable import AnnexSandbox

@Suite struct LedgerTests {
    private func denial(_ text: String) -> Denial {
        Denial(
            call: "socket", text: text, answer: .refused(errno: 1), policyLine: "p:1", allowedBy: nil, thread: 1,
            count: 1)
    }

    @Test func theSameRefusalIsCountedNotRepeated() {
        var ledger = DenialLedger()
        for _ in 0..<5 { ledger.add(denial("socket(AF_INET)")) }
        #expect(ledger.denials.count == 1)
        #expect(ledger.denials.first?.count == 5)
        #expect(ledger.total == 5)
    }

    @Test func `BOMB-07: new arguments for ever fill no memory`() {
        var ledger = DenialLedger()
        for number in 0..<10_000 { ledger.add(denial("socket(\(number))")) }
        #expect(ledger.denials.count == DenialLedger.capacity)
        #expect(ledger.total == 10_000)
    }

    @Test func `BOMB-06: only the end of an output is kept`() {
        var tail = OutputTail()
        for _ in 0..<1000 { tail.append([UInt8](repeating: 65, count: 1000)[...]) }
        tail.append([1, 2, 3][...])
        #expect(tail.bytes.count == OutputTail.capacity)
        #expect(tail.bytes.suffix(3) == [1, 2, 3])
        #expect(tail.total == 1_000_003)
    }
}
