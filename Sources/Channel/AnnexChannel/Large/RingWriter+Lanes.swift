internal import AnnexLinux

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
