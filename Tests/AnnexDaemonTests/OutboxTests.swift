import Testing

@testable import AnnexDaemon

@Suite struct OutboxTests {
    @Test func `messages are counted until they are sent`() {
        var outbox = Outbox()
        #expect(outbox.isEmpty && outbox.first == nil && outbox.bytes == 0)
        outbox.append([1, 2, 3])
        outbox.append([4])
        #expect(outbox.count == 2 && outbox.bytes == 4 && outbox.first == [1, 2, 3])
        outbox.removeFirst()
        #expect(outbox.count == 1 && outbox.bytes == 1 && outbox.first == [4])
        outbox.clear()
        #expect(outbox.isEmpty && outbox.bytes == 0)
    }

    @Test func `an outbox is stuck only if no message leaves it for too long`() {
        var outbox = Outbox()
        for _ in 0..<3 { outbox.append([1]) }
        #expect(!outbox.isStuck(at: 1_000, longerThan: 0))
        outbox.isStuck(at: 100)
        // Only the first of the two moments counts.
        outbox.isStuck(at: 150)
        #expect(!outbox.isStuck(at: 200, longerThan: 100) && outbox.isStuck(at: 201, longerThan: 100))
        outbox.removeFirst()
        #expect(!outbox.isStuck(at: 1_000, longerThan: 100))
    }
}
