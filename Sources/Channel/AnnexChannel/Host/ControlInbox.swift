internal import AnnexLinux
internal import Synchronization

/// Descriptors that arrived through the control socket and wait for their frame. A hand-over is the set of descriptors
/// for one frame. Hand-overs arrive in the order of their frames, because an extension sends each hand-over right
/// before its frame and writes one frame at a time.
struct ControlInbox: ~Copyable, Sendable {
    private struct HandOver {
        let call: UInt64
        /// How many descriptors were sent.
        let count: Int
        /// How many of these descriptors are kept here.
        var kept: Int
        /// Whether descriptors are missing because this process had no descriptor numbers left. The peer did not cause
        /// this.
        let isIncomplete: Bool
    }

    /// The result of taking the hand-over that a frame announced. If the call had already ended, the list is empty. The
    /// descriptors were then not kept, or were removed when the call ended.
    enum PoppedHandOver: ~Copyable {
        case complete(DescriptorList)
        case incomplete(DescriptorList)
        case missing
    }

    private var waiting: [HandOver] = []
    private var descriptors = DescriptorList()
    private var budget: RateBudget
    private var seenTurns: UInt32 = 0
    private var credit: UInt32 = 0
    private(set) var isEnded = false
    /// How many doorbells arrived.
    private(set) var rung: UInt32 = 0

    /// The most hand-overs that may wait. An honest extension sends a hand-over only after it has published the frames
    /// of all earlier hand-overs. A ring of the usual size holds at most 1,024 frames, and one more hand-over can
    /// arrive before its frame.
    static let mostWaiting = 1025
    /// The most messages that one turn of the event loop reads.
    static let mostAtOnce = 256
    /// How many requested doorbells may be outstanding at most. The number can become large: while the event loop's
    /// thread waits for a processor, callers request doorbells repeatedly and read the answers themselves. This limit
    /// is larger than the number of doorbells that fit in a socket's usual buffer.
    private static let mostCredit: UInt32 = 4096

    init(_ configuration: ChannelConfiguration) {
        budget = RateBudget(limit: configuration.controlMessagesPerSecond, period: configuration.budgetPeriod)
    }

    mutating func end() {
        isEnded = true
    }

    /// Counts a doorbell. A doorbell that this side requested is free. Any other doorbell counts against the budget for
    /// control messages.
    mutating func ring(turns: UInt32) throws(ChannelViolation) {
        rung &+= 1
        credit = min(credit &+ min(turns &- seenTurns, ControlInbox.mostCredit), ControlInbox.mostCredit)
        seenTurns = turns
        if credit > 0 { credit &-= 1 } else { try spend() }
    }

    /// Keeps descriptors for an open call until the frame of its answer is read. Each call may get descriptors only
    /// once, so the calls' allowances limit the total.
    mutating func keep(
        _ tag: DescriptorTag, descriptors list: inout DescriptorList, isIncomplete: Bool
    ) throws(ChannelViolation) {
        guard !waiting.contains(where: { $0.call == tag.call }) else {
            throw .descriptorsNotAskedFor(count: list.count, call: tag.call)
        }
        let count = list.count
        try record(HandOver(call: tag.call, count: count, kept: count, isIncomplete: isIncomplete))
        while let descriptor = list.takeFirst() { descriptors.append(descriptor) }
    }

    /// Records a hand-over for a call that has ended, without keeping its descriptors. The hand-over counts against the
    /// budget for control messages.
    mutating func recordLate(
        _ tag: DescriptorTag, count: Int, isIncomplete: Bool
    ) throws(ChannelViolation) {
        try spend()
        try record(HandOver(call: tag.call, count: count, kept: 0, isIncomplete: isIncomplete))
    }

    private mutating func record(_ handOver: HandOver) throws(ChannelViolation) {
        guard waiting.count < ControlInbox.mostWaiting else {
            throw .descriptorsNotAskedFor(count: handOver.count, call: handOver.call)
        }
        waiting.append(handOver)
    }

    var hasHandOver: Bool { !waiting.isEmpty }
    var count: Int { waiting.count }

    /// Takes the oldest hand-over, which must belong to this call.
    mutating func popHandOver(call: UInt64, count: UInt8) -> PoppedHandOver {
        guard let first = waiting.first, first.call == call, first.isIncomplete || first.count == count else {
            return .missing
        }
        waiting = Array(waiting.dropFirst())
        let list = popOldest(first.kept)
        return first.isIncomplete ? .incomplete(list) : .complete(list)
    }

    /// Takes the descriptors of a call that has ended. The hand-over's entry stays, because its frame may still arrive.
    mutating func removeKept(for call: UInt64) -> DescriptorList {
        var taken = DescriptorList()
        var others = DescriptorList()
        var entries: [HandOver] = []
        for var entry in waiting {
            var list = popOldest(entry.kept)
            let isTaken = entry.call == call
            while let descriptor = list.takeFirst() {
                if isTaken { taken.append(descriptor) } else { others.append(descriptor) }
            }
            if isTaken { entry.kept = 0 }
            entries.append(entry)
        }
        waiting = entries
        descriptors = others
        return taken
    }

    /// Takes all descriptors.
    mutating func popAll() -> DescriptorList {
        waiting = []
        return popOldest(.max)
    }

    private mutating func popOldest(_ count: Int) -> DescriptorList {
        var list = DescriptorList()
        while list.count < count, let descriptor = descriptors.takeFirst() { list.append(descriptor) }
        return list
    }

    private mutating func spend() throws(ChannelViolation) {
        guard budget.spend(at: MonotonicClock.now()) else { throw .messageBudget(.control, limit: budget.limit) }
    }
}

/// Closes a peer's descriptors that no call takes.
///
/// The last close of a socket may last as long as the socket's creator has set (`SO_LINGER`). The last close of a file
/// lasts as long as its file system needs. Neither close may delay the thread that reads the ring for all callers. It
/// also delays no other channel: all channels share a lane, in which each channel has a row.
final class DescriptorDisposal: Sendable {
    /// How many descriptors may wait while the closing of an earlier descriptor takes long. If a peer sends more
    /// descriptors, it violates the channel's rules.
    static let mostWaiting = 64

    private let row = Lane.Row(of: .slow)
    private let waiting = Mutex(DescriptorList())

    var isFull: Bool { waiting.withLock { $0.count >= DescriptorDisposal.mostWaiting } }

    func close(_ list: consuming DescriptorList) {
        guard !list.isEmpty else { return }
        var list = list
        waiting.withLock { waiting in
            while let descriptor = list.takeFirst() { waiting.append(descriptor) }
        }
        row.run { [self] in closeAll() }
    }

    /// One job closes all that wait when it begins. So a channel with many descriptors gets no turn for each of them, and
    /// a peer that sends more meanwhile does not make the job longer.
    private func closeAll() {
        var left = waiting.withLock { $0.count }
        while left > 0, let descriptor = waiting.withLock({ $0.takeFirst() }) {
            left &-= 1
            _ = consume descriptor
        }
    }
}
