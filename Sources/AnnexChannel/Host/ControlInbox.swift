internal import AnnexLinux

/// What came through the control socket and waits for its frame. Hand-overs keep the order of their frames, because
/// an extension sends each right before its frame and writes one frame at a time.
struct ControlInbox: ~Copyable, Sendable {
    private struct HandOver {
        let call: UInt64
        let count: Int
        /// This process had no descriptor numbers left: not the peer's fault.
        let isIncomplete: Bool
    }

    /// What became of a hand-over that a frame announced.
    enum Taken: ~Copyable {
        case complete(DescriptorList)
        case incomplete
        case missing
    }

    private var waiting: [HandOver] = []
    private var descriptors = DescriptorList()
    private var budget: RateBudget
    private var seenTurns: UInt32 = 0
    private var credit: UInt32 = 0
    private(set) var isEnded = false

    static let mostWaiting = 64
    /// As many messages as one turn of the loop reads.
    static let mostAtOnce = 256
    /// Doorbells that were asked for and may still come.
    private static let mostCredit: UInt32 = 256

    init(controlMessagesPerSecond: UInt32) {
        budget = RateBudget(limit: controlMessagesPerSecond)
    }

    mutating func end() {
        isEnded = true
    }

    /// A doorbell. Those that were asked for are free.
    mutating func ring(turns: UInt32) throws(ChannelViolation) {
        credit = min(credit &+ min(turns &- seenTurns, ControlInbox.mostCredit), ControlInbox.mostCredit)
        seenTurns = turns
        if credit > 0 { credit &-= 1 } else { try spend() }
    }

    /// Keeps what came ahead of a frame. What a late answer brings is spent from the budget; what an open call accepts
    /// is bounded by the calls.
    mutating func keep(
        _ tag: DescriptorTag, _ list: consuming DescriptorList, isIncomplete: Bool, isLate: Bool
    ) throws(ChannelViolation) {
        if isLate { try spend() }
        guard waiting.count < ControlInbox.mostWaiting else {
            throw .descriptorsNotAskedFor(count: list.count, call: tag.call)
        }
        waiting.append(HandOver(call: tag.call, count: list.count, isIncomplete: isIncomplete))
        while let descriptor = list.takeFirst() { descriptors.append(descriptor) }
    }

    var hasHandOver: Bool { !waiting.isEmpty }

    /// The oldest hand-over, which must be this call's.
    mutating func take(call: UInt64, count: UInt8) -> Taken {
        guard let first = waiting.first, first.call == call, first.isIncomplete || first.count == count else {
            return .missing
        }
        waiting = Array(waiting.dropFirst())
        var list = DescriptorList()
        while list.count < first.count, let descriptor = descriptors.takeFirst() { list.append(descriptor) }
        return first.isIncomplete ? .incomplete : .complete(list)
    }

    private mutating func spend() throws(ChannelViolation) {
        guard budget.spend(at: MonotonicClock.now()) else { throw .messageBudget(.control, limit: budget.limit) }
    }
}
