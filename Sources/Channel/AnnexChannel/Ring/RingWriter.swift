internal import AnnexLinux

/// The sending side of a ring, and the only writer of its bytes.
///
/// The last store of a frame is the store of its header's first word. This store publishes the frame. Before this
/// store, the place of the next header must already hold 0, although the ring is full of old bytes. So the writer
/// clears many of the following cache lines in advance. Publishing a frame then touches only one cache line.
///
/// While the reader keeps up, the writer turns back to the ring's start after the first few thousand bytes. The cache
/// lines there are still in the caches of both cores, and move several times faster than uncached lines. If the
/// reader's own answers show that it has read everything, the writer writes each new frame in the place of the previous
/// frame.
struct RingWriter: ~Copyable {
    /// The writer considers a turn to the ring's start at this offset. It considers a turn again each time it has
    /// written this number of further bytes.
    private static let turnStep: UInt32 = 4096
    /// The least room that a turn must leave.
    private static let roomAfterTurn: UInt32 = 2048
    /// How many bytes are cleared at a time.
    private static let clearStep: UInt32 = 1024

    private let ring: RingBytes
    private let consumed: SharedWord
    private(set) var position: UInt32 = 0
    /// The reader's position that the writer last accepted. A thread that sleeps for room waits until the reader's
    /// position changes.
    private(set) var seen: UInt32 = 0
    /// Each cache line from `position` up to the position `cleared` begins with a 0.
    private var cleared: UInt32
    /// The offset in the ring at which the writer next considers a turn.
    private var turnAt: UInt32 = RingWriter.turnStep
    /// Up to this position there is room, the cache lines are cleared, and no turn is due. So writing a small frame
    /// that ends before this position touches only the frame's own cache lines.
    private var clearRun: UInt32 = 0
    /// Whether frames were written since the last `publish`. If so, a sleeping reader must still be woken.
    private var isUnpublished = false
    /// The position of the first frame since the last `publish`. A sleeping reader sleeps on the header of this frame.
    private var firstPlace: UInt32 = 0
    /// A frame is held back if its first word is stored only in `publish`. These are the position and the first word of
    /// that frame. The word is 0 if no frame is held back.
    private var heldPlace: UInt32 = 0
    private var heldWord: UInt64 = 0
    /// The call, the first word and the end of the frame at `position`, if the next frame may use the same place
    /// (`PlaceMarks.stays`). Otherwise the call is 0.
    private var stayingCall: UInt64 = 0
    private var stayingWord: UInt64 = 0
    private var stayingEnd: UInt32 = 0

    init(ring: RingBytes, consumed: SharedWord) {
        self.ring = ring
        self.consumed = consumed
        // New memory is all zeros.
        cleared = ring.capacity
    }

    var largestPayload: UInt32 { WireFormat.largestPayload(capacity: ring.capacity) }

    private var room: UInt32 { ring.capacity &- (position &- seen) }

    /// The bytes that a frame with this payload needs: the frame's lines and the line of the next header.
    @inline(__always) private func need(_ payload: UInt32) -> UInt32 {
        WireFormat.frameSize(payload: payload) &+ WireFormat.alignment
    }

    /// Whether a frame with this payload fits now. Reads the reader's position only if the known room is too small or
    /// the writer may have to turn.
    @inline(__always) mutating func hasRoom(payload: UInt32) throws(ChannelViolation) -> Bool {
        if stayingCall != 0 { goOn() }
        let need = need(payload)
        if need <= room, position & (ring.capacity &- 1) < turnAt { return true }
        try refreshSeen()
        return need <= room
    }

    /// Reads the reader's position once.
    @inline(never) mutating func refreshSeen() throws(ChannelViolation) {
        let unread = position &- seen
        // SYNC: this acquiring load pairs with the reader's releasing store. The reader has copied all bytes up to the
        // position that is read here.
        let now = Hostile(consumed.loadAcquire()).distance(from: seen)
        guard let taken = now.step(from: 0, to: unread) else {
            throw .consumed(step: now.forReport, unread: unread)
        }
        seen &+= taken
    }

    /// Writes and publishes a small frame if the frame touches only its own lines, which is the common case.
    /// - Parameters:
    ///   - word: the header's first word without the length.
    ///   - stays: whether the next frame may lie in the same place.
    ///   - known: the call of a frame that the reader is known to have read.
    /// - Returns: the word on which a reader may sleep; nil if nothing was written. Then this fast way does not suit
    ///   the frame, or there is no room.
    @inline(__always) mutating func publishAtOnce(
        _ word: UInt64, call: UInt64, payload: UnsafeRawBufferPointer, stays: Bool = false, known: UInt64 = 0
    ) -> WritableWord? {
        let start = position
        let count = payload.count
        guard count <= RingBytes.small, !isUnpublished, stayingCall == 0 || (stays && stayingCall == known) else {
            return nil
        }
        let length = UInt32(truncatingIfNeeded: count)
        let end = start &+ WireFormat.frameSize(payload: length)
        guard Int32(bitPattern: clearRun &- end) > 0 || findClearRun(to: end) else { return nil }
        unsafe ring.fill(from: start, to: end, call: call, payload)
        var word = word | UInt64(truncatingIfNeeded: length) << 32
        if stays {
            word |= PlaceMarks.stays.word | ~stayingWord & PlaceMarks.lap.word
            (stayingCall, stayingWord, stayingEnd) = (call, word, end)
        } else {
            position = end
        }
        ring.publish(word, at: start)
        return ring.alarm(at: start)
    }

    /// Moves on from the frame that stays in its place. Perhaps the reader has not read this frame yet. The next
    /// `publish` also stores the frame's first word again, without the mark `stays`. A reader that has read the frame
    /// sleeps on this word. The changed word tells the reader that the next frame lies behind this frame.
    @inline(never) private mutating func goOn() {
        // While a frame stays in its place, no later frame is held back or unpublished.
        (firstPlace, isUnpublished) = (position, true)
        heldPlace = position
        heldWord = stayingWord & ~PlaceMarks.stays.word
        stayingCall = 0
        // This place may have held longer frames before, so the lines after the frame possibly do not begin with a 0.
        cleared = stayingEnd
        pass(to: stayingEnd)
        clearRun = position
    }

    /// Computes `clearRun` for the current position.
    /// - Returns: whether `clearRun` is now beyond `end`.
    @inline(never) private mutating func findClearRun(to end: UInt32) -> Bool {
        let offset = position & (ring.capacity &- 1)
        let turn = min(turnAt, ring.capacity)
        let straight = offset < turn ? turn &- offset : 0
        clearRun = position &+ min(straight, room, cleared &- position)
        return Int32(bitPattern: clearRun &- end) > 0
    }

    /// Writes a frame after the existing frames. The caller must have checked that there is room. The payload, together
    /// with a request's terms, must not be longer than `largestPayload`.
    /// - Parameter holds: whether the reader must not see the frame before `publish`.
    @inline(__always) mutating func write(
        _ header: FrameHeader, terms: RequestTerms? = nil, payload: UnsafeRawBufferPointer, holds: Bool = false
    ) {
        if stayingCall != 0 { goOn() }
        let start = position
        let prefix = terms == nil ? 0 : RequestTerms.size
        let length = prefix &+ UInt32(truncatingIfNeeded: payload.count)
        let body = start &+ WireFormat.headerSize
        let end = start &+ WireFormat.frameSize(payload: length)
        let turns = decideTurn(from: start, to: end)
        pass(to: WireFormat.next(after: end, turns: turns, capacity: ring.capacity))
        clearRun = position
        // The stores to the frame's first cache line follow each other quickly. Otherwise, a polling reader would more
        // often take this line to its own core between two stores.
        if let terms { unsafe withUnsafeBytes(of: terms) { unsafe ring.copy(to: body, from: $0) } }
        unsafe ring.copy(to: body &+ prefix, from: payload)
        ring.clear(from: body &+ length, count: end &- body &- length)
        ring.storeSecondWord(header.call, at: start)
        show(header.firstWord(length: length, turns: turns), at: start, holds: holds)
    }

    /// Writes a frame that consists only of its header.
    mutating func write(_ header: FrameHeader) {
        unsafe write(header, payload: UnsafeRawBufferPointer(start: nil, count: 0))
    }

    /// Stores the frame's first word, or holds the frame back. A frame that is held back hides all frames after it from
    /// the reader.
    @inline(__always) private mutating func show(_ word: UInt64, at place: UInt32, holds: Bool) {
        if !isUnpublished { firstPlace = place }
        isUnpublished = true
        if holds, heldWord == 0 {
            // Frames that were written earlier stay visible. This frame hides the frames that follow.
            heldPlace = place
            heldWord = word
        } else {
            ring.publish(word, at: place)
        }
    }

    /// Publishes all frames that were written.
    /// - Returns: the word on which a reader may sleep; nil if nothing was written.
    @inline(__always) mutating func publish() -> WritableWord? {
        guard isUnpublished else { return nil }
        isUnpublished = false
        if heldWord != 0 {
            ring.publish(heldWord, at: heldPlace)
            heldWord = 0
        }
        return ring.alarm(at: firstPlace)
    }

    /// Decides whether the frame after this frame lies at the ring's start.
    @inline(__always) private mutating func decideTurn(from start: UInt32, to end: UInt32) -> Bool {
        start & (ring.capacity &- 1) >= turnAt && thinkOfTurn(from: start, to: end)
    }

    /// Decides whether to turn. After a turn, the bytes between the frame and the ring's end count as unread. So the
    /// remaining room is the part from the ring's start to the reader's position.
    @inline(never) private mutating func thinkOfTurn(from start: UInt32, to end: UInt32) -> Bool {
        let offset = start & (ring.capacity &- 1)
        let turn = start &- offset
        let taken = seen &- turn
        if taken <= offset, taken >= RingWriter.roomAfterTurn, end &- turn <= ring.capacity { return true }
        turnAt = offset &+ RingWriter.turnStep
        return false
    }

    /// Moves on to the place after the new frame, and makes sure that this place holds no header yet.
    @inline(__always) private mutating func pass(to next: UInt32) {
        if (next ^ position) & ~(ring.capacity &- 1) != 0 { turnAt = RingWriter.turnStep }
        position = next
        if Int32(bitPattern: cleared &- position) <= 0 { clearAhead() }
    }

    @inline(never) private mutating func clearAhead() {
        // The reader has read everything in the free part of the ring, so clearing this part hides no frame. At least
        // one line is always free.
        cleared = position &+ min(RingWriter.clearStep, room)
        var line = position
        while line != cleared {
            ring.clearHeader(at: line)
            line &+= WireFormat.alignment
        }
    }
}

extension RingWriter {
    /// The room that a frame must leave free. Pieces and messages of streams leave an eighth of the ring to other
    /// frames. So a call, a cancel or a credit finds room even if pieces and messages fill the rest of the ring.
    func spare(_ kind: FrameKind) -> UInt32 {
        kind == .data || kind == .piece ? largestPayload >> 2 : 0
    }

    /// Whether the ring has room for the next piece's frame and the arena has a free place for the piece's bytes.
    mutating func hasRoomForPiece(_ arena: inout ArenaWriter) throws(ChannelViolation) -> Bool {
        arena.reclaim(upTo: seen, of: position)
        if arena.hasFree, try hasRoom(payload: spare(.piece)) { return true }
        try refreshSeen()
        arena.reclaim(upTo: seen, of: position)
        guard arena.hasFree else { return false }
        return try hasRoom(payload: spare(.piece))
    }

    /// Copies a piece into the arena and writes its frame. The caller must have checked that there is room.
    mutating func write(piece: UnsafeRawBufferPointer, of call: UInt64, _ arena: inout ArenaWriter) {
        let place = unsafe arena.put(piece)
        // SYNC: the piece is stored before its frame is released.
        write(FrameHeader(kind: .piece, method: UInt16(truncatingIfNeeded: place), call: call))
        arena.markUsed(place, until: position)
    }
}
