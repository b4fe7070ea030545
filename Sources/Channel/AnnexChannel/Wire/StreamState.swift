/// One side's view of a stream as a pure state machine. It records how much may still be sent and received.
///
/// Both directions use credit: a side sends only as much as its peer has promised to keep. So unread messages never
/// exceed the reader's window, and a reader that does not read delays only its own writer. A message costs 16 more than
/// its number of bytes, about its size in memory. So empty messages are not free.
struct StreamState: Sendable, Hashable {
    /// The smallest credit that one frame may give: the cost of an empty message. So every credit pays for at least one
    /// message.
    static let leastCredit: UInt32 = 16
    static let smallestWindow: UInt32 = 1024
    static let largestWindow: UInt32 = 1 << 28

    /// How many bytes from the other side may be in transit or unread on this side.
    let window: UInt32
    /// How many bytes from this side may be in transit or unread on the other side. The value is 0 until the other side
    /// has named its window.
    private(set) var peerWindow: UInt32
    /// How many bytes this side may still send.
    private(set) var credit: UInt32
    /// How many bytes the other side may still send.
    private(set) var owed: UInt32
    /// How many bytes were taken from the queue but not yet returned as credit.
    private(set) var unreturned: UInt32 = 0
    private(set) var isSending = true
    private(set) var isReceiving = true

    init(window: UInt32, peerWindow: UInt32) {
        self.window = window
        self.peerWindow = peerWindow
        credit = peerWindow
        owed = window
    }

    /// The cost of a message with this many bytes; at most 16 more than `largestWindow`.
    static func cost(_ bytes: Int) -> UInt32 {
        min(UInt32(clamping: bytes), largestWindow) &+ 16
    }

    /// How many frames the other side can still send before it learns that this side has dropped the stream.
    ///
    /// A message uses up at least 16 bytes of the other side's credit. A credit frame returns at least 16 bytes that
    /// this side has sent. The 4 further frames include the other side's first credit, its finish and its reset.
    var mostLateFrames: UInt64 {
        let messages = isReceiving ? owed >> 4 : 0
        let credits = (peerWindow &- credit) >> 4
        return UInt64(truncatingIfNeeded: messages) &+ UInt64(truncatingIfNeeded: credits) &+ 4
    }

    /// Whether both directions have ended.
    var isOver: Bool { !isSending && !isReceiving }

    // MARK: This side

    /// Spends credit for a message.
    /// - Returns: false if the credit is too low; in this case nothing is spent.
    mutating func spend(_ cost: UInt32) -> Bool {
        guard isSending, cost <= credit else { return false }
        credit &-= cost
        return true
    }

    /// Records that this side has taken a message from its queue.
    /// - Parameter isEmpty: whether the queue is now empty.
    /// - Returns: the credit to send; nil if the credit is too little to justify a frame.
    mutating func recordPop(cost: UInt32, isEmpty: Bool) -> UInt32? {
        unreturned &+= cost
        guard isReceiving, unreturned >= window >> 1 || isEmpty else { return nil }
        defer { unreturned = 0 }
        owed &+= unreturned
        return unreturned
    }

    mutating func finishSending() { isSending = false }

    // MARK: The other side, which may send anything

    /// Accepts a message from the other side.
    mutating func receive(_ cost: UInt32, stream: UInt64) throws(ChannelViolation) {
        guard isReceiving else { throw .streamIsOver(stream) }
        guard cost <= owed else { throw .streamCredit(stream) }
        owed &-= cost
    }

    /// Accepts credit from the other side. The first credit states the other side's window. Later credit frames return
    /// credit that this side has spent.
    mutating func receiveCredit(_ more: UInt32, stream: UInt64) throws(ChannelViolation) {
        guard more >= StreamState.leastCredit, more <= StreamState.largestWindow else { throw .streamCredit(stream) }
        if peerWindow == 0 {
            peerWindow = more
            credit = more
            return
        }
        guard more <= peerWindow &- credit else { throw .streamCredit(stream) }
        credit &+= more
    }

    mutating func receiveFinish(stream: UInt64) throws(ChannelViolation) {
        guard isReceiving else { throw .streamIsOver(stream) }
        isReceiving = false
    }
}
