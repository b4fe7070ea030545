internal import AnnexLinux

/// The sending side of a ring: the only writer of its bytes.
///
/// A frame is published by its header's first word, stored last. For that, where the next header will be there is a 0
/// already when a frame is published, though the ring is full of old bytes: lines ahead are cleared in advance, many
/// at a time, so that publishing costs one line only.
///
/// While the reader keeps up, the writer turns back to the ring's start after the first few thousand bytes: lines that
/// both cores still hold move several times faster than cold ones. Where the reader's own answers say that it has taken
/// everything, frames stay in one place.
struct RingWriter: ~Copyable {
    /// A turn is thought of this far into the ring, and again each time so much has been written.
    private static let turnStep: UInt32 = 4096
    /// A turn leaves at least this much room.
    private static let roomAfterTurn: UInt32 = 2048
    /// How much is cleared at a time.
    private static let clearStep: UInt32 = 1024

    private let ring: RingBytes
    private let consumed: SharedWord
    private(set) var position: UInt32 = 0
    /// The reader's position as last accepted: the value that a sleeper sleeps on.
    private(set) var seen: UInt32 = 0
    /// From `position` to here each line begins with a 0.
    private var cleared: UInt32
    /// Where in the ring a turn is thought of next.
    private var turnAt: UInt32 = RingWriter.turnStep
    /// Up to here a frame takes nothing but its own lines: there is room, what is ahead is cleared, no turn is due.
    private var clearRun: UInt32 = 0
    /// Whether frames were written and no sleeper told yet.
    private var isUntold = false
    /// The first of these frames, on whose header a reader sleeps if it does.
    private var firstPlace: UInt32 = 0
    /// The frame that is held back and its first word, else 0.
    private var heldPlace: UInt32 = 0
    private var heldWord: UInt64 = 0
    /// The call of the frame that lies at `position` and stays there, else 0; its first word; and where it ends.
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

    /// What a frame of this payload needs: its own lines, and the one where the next header will be.
    @inline(__always) private func need(_ payload: UInt32) -> UInt32 {
        WireFormat.frameSize(payload: payload) &+ WireFormat.alignment
    }

    /// Whether a frame of this payload fits now. Looks at the reader's position only when it must.
    @inline(__always) mutating func hasRoom(payload: UInt32) throws(ChannelViolation) -> Bool {
        if stayingCall != 0 { goOn() }
        let need = need(payload)
        if need <= room, position & (ring.capacity &- 1) < turnAt { return true }
        try look()
        return need <= room
    }

    /// Looks once at how far the reader is.
    @inline(never) mutating func look() throws(ChannelViolation) {
        let unread = position &- seen
        // SYNC: acquires what the reader released: it has copied the bytes up to here.
        let now = Hostile(consumed.loadAcquire()).distance(from: seen)
        guard let taken = now.step(from: 0, to: unread) else {
            throw .consumed(step: now.forReport, unread: unread)
        }
        seen &+= taken
    }

    /// Writes and publishes a small frame, where that takes nothing but its own lines, as it mostly does.
    /// - Parameters:
    ///   - word: the header's first word without the length.
    ///   - stays: whether the frame's place is the next one's as well.
    ///   - known: the call of a frame that the reader is known to have taken.
    /// - Returns: the word that a reader sleeps on, if it does; nil where it takes more, and nothing was done.
    @inline(__always) mutating func publishAtOnce(
        _ word: UInt64, call: UInt64, payload: UnsafeRawBufferPointer, stays: Bool = false, known: UInt64 = 0
    ) -> WritableWord? {
        let start = position
        let count = payload.count
        guard count <= RingBytes.small, !isUntold, stayingCall == 0 || (stays && stayingCall == known) else {
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

    /// The next frame lies behind the one that stays, which its reader may not have taken: with the next publishing the
    /// frame says so itself, by its first word, on which a reader sleeps that has taken it.
    @inline(never) private mutating func goOn() {
        // Nothing is held back or untold behind a frame that stays.
        (firstPlace, isUntold) = (position, true)
        heldPlace = position
        heldWord = stayingWord & ~PlaceMarks.stays.word
        stayingCall = 0
        // Longer frames may have lain here.
        cleared = stayingEnd
        pass(to: stayingEnd)
        clearRun = position
    }

    /// Finds how far that may go on from here.
    /// - Returns: whether beyond `end`.
    @inline(never) private mutating func findClearRun(to end: UInt32) -> Bool {
        let offset = position & (ring.capacity &- 1)
        let turn = min(turnAt, ring.capacity)
        let straight = offset < turn ? turn &- offset : 0
        clearRun = position &+ min(straight, room, cleared &- position)
        return Int32(bitPattern: clearRun &- end) > 0
    }

    /// Writes a frame behind those that are there. There must be room, and the payload (with the terms of a request)
    /// be no longer than `largestPayload`.
    /// - Parameter holds: whether it is not to be seen before `publish`.
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
        // All stores to the first line in quick succession: a reader that polls it takes it away in between.
        if let terms { unsafe withUnsafeBytes(of: terms) { unsafe ring.copy(to: body, from: $0) } }
        unsafe ring.copy(to: body &+ prefix, from: payload)
        ring.clear(from: body &+ length, count: end &- body &- length)
        ring.storeSecondWord(header.call, at: start)
        show(header.firstWord(length: length, turns: turns), at: start, holds: holds)
    }

    /// Writes a frame that says all in its header.
    mutating func write(_ header: FrameHeader) {
        unsafe write(header, payload: UnsafeRawBufferPointer(start: nil, count: 0))
    }

    /// Stores the frame's first word. One frame that is held hides all behind it: a reader meets none of them.
    @inline(__always) private mutating func show(_ word: UInt64, at place: UInt32, holds: Bool) {
        if !isUntold { firstPlace = place }
        isUntold = true
        if holds, heldWord == 0 {
            // Frames of an unfinished batch that were shown already stay so; this one hides what follows.
            heldPlace = place
            heldWord = word
        } else {
            ring.publish(word, at: place)
        }
    }

    /// Publishes all that was written.
    /// - Returns: the word that a reader sleeps on, if it does; nil where nothing was written.
    @inline(__always) mutating func publish() -> WritableWord? {
        guard isUntold else { return nil }
        isUntold = false
        if heldWord != 0 {
            ring.publish(heldWord, at: heldPlace)
            heldWord = 0
        }
        return ring.alarm(at: firstPlace)
    }

    /// Whether the frame that lies here is followed by one at the ring's start.
    @inline(__always) private mutating func decideTurn(from start: UInt32, to end: UInt32) -> Bool {
        start & (ring.capacity &- 1) >= turnAt && thinkOfTurn(from: start, to: end)
    }

    /// All between the frame and the ring's end counts as unread, so the room that is left then is what the reader has
    /// taken of this turn.
    @inline(never) private mutating func thinkOfTurn(from start: UInt32, to end: UInt32) -> Bool {
        let offset = start & (ring.capacity &- 1)
        let turn = start &- offset
        let taken = seen &- turn
        if taken <= offset, taken >= RingWriter.roomAfterTurn, end &- turn <= ring.capacity { return true }
        turnAt = offset &+ RingWriter.turnStep
        return false
    }

    /// Goes on behind the frame just written, and sees to it that no header is there yet.
    @inline(__always) private mutating func pass(to next: UInt32) {
        if (next ^ position) & ~(ring.capacity &- 1) != 0 { turnAt = RingWriter.turnStep }
        position = next
        if Int32(bitPattern: cleared &- position) <= 0 { clearAhead() }
    }

    @inline(never) private mutating func clearAhead() {
        // What is free has been taken by the reader, so clearing there hides nothing. One line always is.
        cleared = position &+ min(RingWriter.clearStep, room)
        var line = position
        while line != cleared {
            ring.clearHeader(at: line)
            line &+= WireFormat.alignment
        }
    }
}

extension RingWriter {
    /// What a frame leaves free besides. Pieces and messages of streams leave an eighth of the ring to everything else: a
    /// call, a cancel or a credit finds room though as much of them as there may be lies unread.
    func spare(_ kind: FrameKind) -> UInt32 {
        kind == .data || kind == .piece ? largestPayload >> 2 : 0
    }

    /// Whether the next piece has a frame and a place.
    mutating func hasRoomForPiece(_ arena: inout ArenaWriter) throws(ChannelViolation) -> Bool {
        arena.takeBack(upTo: seen, of: position)
        if arena.hasFree, try hasRoom(payload: spare(.piece)) { return true }
        try look()
        arena.takeBack(upTo: seen, of: position)
        guard arena.hasFree else { return false }
        return try hasRoom(payload: spare(.piece))
    }

    /// Copies a piece into the arena and writes its frame. There must be room.
    mutating func write(piece: UnsafeRawBufferPointer, of call: UInt64, _ arena: inout ArenaWriter) {
        let place = unsafe arena.put(piece)
        // SYNC: the piece is stored before its frame is released.
        write(FrameHeader(kind: .piece, method: UInt16(truncatingIfNeeded: place), call: call))
        arena.note(place, until: position)
    }
}
