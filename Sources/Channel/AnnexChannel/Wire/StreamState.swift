/// One side's view of a stream as a pure state machine: what may still be sent, what may still come.
///
/// Both directions run on credit: a side sends only what the other has promised to keep, so what waits unread is never
/// more than its reader's window, and a reader that does not read holds its writer up and nobody else. Each message
/// costs its bytes and 16 more, which is about what it takes in memory: empty messages are not free.
struct StreamState: Sendable, Hashable {
    /// The smallest credit that may be given at once, so that credits are fewer than what they are for.
    static let leastCredit: UInt32 = 16
    static let smallestWindow: UInt32 = 1024
    static let largestWindow: UInt32 = 1 << 28

    /// What this side lets the other have on its way and unread.
    let window: UInt32
    /// What the other side lets this side have on its way; 0 until it has said so.
    private(set) var peerWindow: UInt32
    /// What this side may still send.
    private(set) var credit: UInt32
    /// What the other side may still send.
    private(set) var owed: UInt32
    /// What was taken out of the queue and not given back as credit yet.
    private(set) var taken: UInt32 = 0
    private(set) var isSending = true
    private(set) var isReceiving = true

    init(window: UInt32, peerWindow: UInt32) {
        self.window = window
        self.peerWindow = peerWindow
        credit = peerWindow
        owed = window
    }

    /// What a message of so many bytes costs; at most `largestWindow`.
    static func cost(_ bytes: Int) -> UInt32 {
        min(UInt32(clamping: bytes), largestWindow) &+ 16
    }

    /// Both directions are over: nothing of the stream is left to do.
    var isOver: Bool { !isSending && !isReceiving }

    // MARK: This side

    /// Spends credit for a message.
    /// - Returns: false where there is too little: then more has to come first.
    mutating func spend(_ cost: UInt32) -> Bool {
        guard isSending, cost <= credit else { return false }
        credit &-= cost
        return true
    }

    /// This side has taken a message out of its queue.
    /// - Parameter isEmpty: whether nothing is left there.
    /// - Returns: credit to give; nil while it is too little to be worth a frame.
    mutating func take(_ cost: UInt32, isEmpty: Bool) -> UInt32? {
        taken &+= cost
        guard isReceiving, taken >= window >> 1 || isEmpty else { return nil }
        defer { taken = 0 }
        owed &+= taken
        return taken
    }

    mutating func finishSending() { isSending = false }

    // MARK: The other side, which may say anything

    /// A message came.
    mutating func receive(_ cost: UInt32, stream: UInt64) throws(ChannelViolation) {
        guard isReceiving else { throw .streamIsOver(stream) }
        guard cost <= owed else { throw .streamCredit(stream) }
        owed &-= cost
    }

    /// Credit came. The first names the other side's window; later ones give back what this side has spent.
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
