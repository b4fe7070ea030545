import Testing

@testable import AnnexChannel

@Suite(.timeLimit(.minutes(20))) struct ControlInboxTests {
    /// Callers find their answers by polling. Each time, they request a new doorbell, while the event loop's thread
    /// gets no processor time.
    @Test(arguments: [1, 278, 2048] as [UInt32])
    func `BOMB-08: doorbells that the host asked for are free however late they are read`(count: UInt32) throws {
        var inbox = ControlInbox(Self.strict)
        for round in UInt32(1)...20 {
            for _ in 0..<count { try inbox.ring(turns: round * count) }
        }
        #expect(inbox.rung == 20 * count)
    }

    @Test func `BOMB-08: doorbells that the host did not ask for end at the budget`() {
        var inbox = ControlInbox(Self.strict)
        #expect(throws: ChannelViolation.messageBudget(.control, limit: 3)) {
            for _ in 0..<5 { try inbox.ring(turns: 1) }
        }
    }

    @Test func `BOMB-08: requests for doorbells are not saved up without bound`() {
        var inbox = ControlInbox(Self.strict)
        #expect(throws: ChannelViolation.messageBudget(.control, limit: 3)) {
            for _ in 0..<5000 { try inbox.ring(turns: 1 << 20) }
        }
    }

    private static var strict: ChannelConfiguration {
        var configuration = ChannelConfiguration()
        configuration.controlMessagesPerSecond = 3
        configuration.budgetPeriod = .seconds(3600)
        return configuration
    }
}
