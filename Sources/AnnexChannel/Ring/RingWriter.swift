internal import AnnexLinux

/// The sending side of a ring: the only writer of its bytes and of its position.
struct RingWriter: ~Copyable {
    private let ring: RingBytes
    private let produced: WritableWord
    private let consumed: SharedWord
    private var position: UInt32 = 0
    /// How many bytes the reader had not taken when last asked.
    private var unread: UInt32 = 0

    init(ring: RingBytes, produced: WritableWord, consumed: SharedWord) {
        self.ring = ring
        self.produced = produced
        self.consumed = consumed
    }

    var largestPayload: UInt32 { WireFormat.largestPayload(capacity: ring.capacity) }

    /// The reader's position as last accepted: the value that a sleeper sleeps on.
    var seen: UInt32 { position &- unread }

    /// Whether a frame of this payload fits now. Looks at the reader's position only when it must.
    mutating func hasRoom(payload: UInt32) throws(ChannelViolation) -> Bool {
        let size = WireFormat.frameSize(payload: payload)
        if size <= ring.capacity &- unread { return true }
        try look()
        return size <= ring.capacity &- unread
    }

    /// Looks once at how far the reader is.
    private mutating func look() throws(ChannelViolation) {
        // SYNC: acquires what the reader released: it has copied the bytes up to here.
        let now = Hostile(consumed.loadAcquire()).distance(from: seen)
        guard let taken = now.step(from: 0, to: unread) else {
            throw .consumed(step: now.forReport, unread: unread)
        }
        unread &-= taken
    }

    /// Writes a frame and publishes it. There must be room, and the payload (with the terms of a request) be no longer
    /// than `largestPayload`.
    mutating func write(_ header: FrameHeader, terms: RequestTerms? = nil, payload: [UInt8]) {
        var place = position &+ WireFormat.headerSize
        if let terms {
            // SAFETY: three words without padding.
            unsafe withUnsafeBytes(of: terms) { unsafe ring.copy(to: place, from: $0) }
            place &+= RequestTerms.size
        }
        unsafe payload.withUnsafeBytes { unsafe ring.copy(to: place, from: $0) }
        place &+= UInt32(truncatingIfNeeded: payload.count)
        let length = place &- position &- WireFormat.headerSize
        let size = WireFormat.frameSize(payload: length)
        ring.store(header.firstWord(length: length), header.call, at: position)
        ring.clear(from: place, count: position &+ size &- place)
        position &+= size
        unread &+= size
        // SYNC: releases the frame's bytes; the reader acquires this position before it reads them.
        produced.storeRelease(position)
    }
}
