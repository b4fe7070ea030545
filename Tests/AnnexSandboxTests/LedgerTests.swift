import AnnexPolicy
import Testing

@testable import AnnexLaunch

@Suite struct LedgerTests {
    private func denial(_ text: String) -> Denial {
        Denial(
            subject: .call(CallUse(number: 41, arguments: [])), call: "socket", text: text, answer: .denied(errno: 1),
            layers: [.seccomp],
            policyLine: "p:1", reason: nil, remedy: nil, caller: Caller(thread: 1))
    }

    @Test func `equal denials are counted and not repeated`() {
        var ledger = DenialTable()
        for _ in 0..<5 { ledger.add(denial("socket(AF_INET)")) }
        #expect(ledger.denials.count == 1)
        #expect(ledger.denials.first?.count == 5)
        #expect(ledger.total == 5)
    }

    @Test func `BOMB-07: new arguments without end fill no memory`() {
        var ledger = DenialTable()
        for number in 0..<10_000 { ledger.add(denial("socket(\(number))")) }
        #expect(ledger.denials.count == DenialTable.capacity)
        #expect(ledger.total == 10_000)
    }

    @Test func `BOMB-07: invented paths fill no memory and take no room from calls`() {
        var ledger = DenialTable()
        for number in 0..<1_000 {
            let path = DeniedPath(
                path: "/\(number)", needed: .read, missing: .read, makesEntry: false, grant: nil)
            ledger.add(
                Denial(
                    subject: .path(path), call: "openat", text: "openat", answer: .denied(errno: 2), layers: [.root],
                    policyLine: nil, reason: nil, remedy: nil, caller: Caller(thread: 1)))
        }
        ledger.add(denial("socket()"))
        #expect(ledger.denials.count == DenialTable.pathCapacity + 1)
        #expect(ledger.dropped == 1_000 - DenialTable.pathCapacity)
        // Only a mode that checks paths reports denied paths. Denied paths do not count towards the limit on denied
        // calls.
        #expect(ledger.total == 1)
    }

    @Test func `a denial has the times of its first and last occurrence`() {
        var ledger = DenialTable(begun: 1_000)
        ledger.add(denial("a"), at: 2_000)
        ledger.add(denial("a"), at: 5_000)
        ledger.add(denial("b"), at: 500)
        #expect(ledger.denials[0].first == .nanoseconds(1_000))
        #expect(ledger.denials[0].last == .nanoseconds(4_000))
        #expect(ledger.denials[1].first == .zero)
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
