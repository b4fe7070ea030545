internal import AnnexLinux

/// The receiving side of a ring that somebody else writes: takes frames out, one copy each.
struct RingReader: ~Copyable {
    private let ring: RingBytes
    private let produced: SharedWord
    private let consumed: WritableWord
    /// How far this side has read, modulo 2^32.
    private var position: UInt32 = 0
    /// How many checked bytes lie ahead of `position`.
    private var ahead: UInt32 = 0
    /// What the other side has been told about `position`.
    private var published: UInt32 = 0

    init(ring: RingBytes, produced: SharedWord, consumed: WritableWord) {
        self.ring = ring
        self.produced = produced
        self.consumed = consumed
    }

    /// The writer's position as last accepted: the value that a sleeper sleeps on.
    var seen: UInt32 { position &+ ahead }

    /// Whether the writer's word is another than the one accepted last. Says nothing else about it.
    var hasNews: Bool {
        produced.loadRelaxed() != seen
    }

    /// Whether frames lie ahead that `look` has seen and `next` has not taken.
    var hasFrames: Bool { ahead > 0 }

    /// Looks once at how far the writer is.
    mutating func look() throws(ChannelViolation) {
        // SYNC: acquires what the writer released with this position: the frames' bytes.
        let now = Hostile(produced.loadAcquire()).distance(from: position)
        guard let checked = now.step(from: ahead, to: ring.capacity) else {
            throw .position(step: now.forReport, expected: ahead, capacity: ring.capacity)
        }
        ahead = checked
    }

    /// The next frame of those that `look` has seen; nil when there is none left.
    mutating func next() throws(ChannelViolation) -> Frame? {
        guard ahead >= WireFormat.headerSize else { return nil }
        let header = HostileHeader(ring, at: position)
        let most = min(WireFormat.largestPayload(capacity: ring.capacity), ahead &- WireFormat.headerSize)
        guard let length = header.length.atMost(most) else {
            throw .length(header.length.forReport, room: most)
        }
        guard let kind = FrameKind(rawValue: header.kind) else { throw .unknownKind(header.kind) }
        guard kind != .request || length >= RequestTerms.size else {
            throw .malformed(kind: header.kind, length: Int(truncatingIfNeeded: length))
        }
        let body = position &+ WireFormat.headerSize
        let prefix = kind == .request ? RequestTerms.size : 0
        let frame = Frame(
            kind: kind, descriptors: header.descriptors, method: header.method, call: header.call,
            terms: kind == .request ? terms(at: body) : RequestTerms(),
            payload: payload(at: body &+ prefix, length &- prefix))
        // `ahead` is a multiple of the alignment, so the rounded frame fits where its payload does.
        let size = WireFormat.frameSize(payload: length)
        position &+= size
        ahead &-= size
        return frame
    }

    private func terms(at place: UInt32) -> RequestTerms {
        var terms = RequestTerms()
        // SAFETY: three words without padding, of which any value is valid.
        unsafe withUnsafeMutableBytes(of: &terms) { words in
            if let target = words.baseAddress {
                unsafe ring.copy(from: place, to: target, count: RequestTerms.size)
            }
        }
        return terms
    }

    private func payload(at place: UInt32, _ length: UInt32) -> [UInt8] {
        guard length > 0 else { return [] }
        let count = Int(truncatingIfNeeded: length)
        return unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            guard let target = buffer.baseAddress else { return }
            // SAFETY: the buffer has room for `length` bytes, and all of them are filled.
            unsafe ring.copy(from: place, to: UnsafeMutableRawPointer(target), count: length)
            filled = count
        }
    }

    /// Gives the room of all frames taken back to the writer.
    /// - Returns: whether there was any to give: then a writer that sleeps for room is to be woken.
    mutating func publish() -> Bool {
        guard published != position else { return false }
        published = position
        // SYNC: releases the ring's bytes; the writer acquires this position before it overwrites them.
        consumed.storeRelease(position)
        return true
    }
}
