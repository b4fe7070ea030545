internal import AnnexLinux

/// The receiving side of a ring that somebody else writes: takes frames out, one copy each.
///
/// A frame is there when its header's first word is not 0. Which bytes are frames is the writer's affair alone: this
/// side walks from header to header, never further than one frame of at most half the ring at a time, and masks every
/// place to lie inside. A writer that changes what it has published gets another frame read, nothing else.
struct RingReader: ~Copyable {
    private let ring: RingBytes
    private let consumed: WritableWord
    private let step: UInt32
    /// How far this side has read, modulo 2^32; where the next header will be.
    private(set) var position: UInt32 = 0
    /// What the other side has been told about `position`.
    private var published: UInt32 = 0
    /// How many bytes of frames were taken, modulo 2^32: of those in one place, too.
    private(set) var taken: UInt32 = 0
    /// What lies where the next header will be: nothing, or the first word of a frame that stayed there.
    private var known = HostileWord.none
    /// The same word once its writer goes on behind it, to the place behind.
    private var movedOn = HostileWord.none
    private var behind: UInt32 = 0

    init(ring: RingBytes, consumed: WritableWord) {
        self.ring = ring
        self.consumed = consumed
        step = WireFormat.step(capacity: ring.capacity)
    }

    /// Whether something new lies where the next header will be. Says nothing else about it.
    @inline(__always) var hasNews: Bool { ring.peek(at: position) != known }

    /// What a sleeper sleeps on, while it is `bedValue`.
    var bed: SharedWord { ring.bed(at: position) }
    var bedValue: UInt32 { known.bed }

    /// Looks once whether a frame is there, and checks its header.
    @inline(__always) mutating func look() throws(ChannelViolation) -> CheckedHeader? {
        var word = ring.firstWord(at: position)
        if word == known { return nil }
        if word == movedOn {
            goOn(to: behind)
            word = ring.firstWord(at: position)
            if word == .none { return nil }
        }
        let most = WireFormat.largestPayload(capacity: ring.capacity)
        guard let length = word.length.atMost(most) else {
            throw .length(word.length.forReport, room: most)
        }
        guard let kind = FrameKind(rawValue: word.kind) else { throw .unknownKind(word.kind) }
        let prefix = kind == .request && !word.marks.contains(.bare) ? RequestTerms.size : 0
        guard length >= prefix else {
            throw .malformed(kind: word.kind, length: Int(truncatingIfNeeded: length))
        }
        return CheckedHeader(
            word: word, kind: kind, marks: word.marks, descriptors: word.descriptors, method: word.method,
            call: ring.secondWord(at: position), prefix: prefix, length: length &- prefix)
    }

    /// The header of the next frame where it is of this pattern, which is told by few comparisons; nil also where none
    /// is there. `look` says all about it.
    @inline(__always) func look(for pattern: FramePattern, _ kind: FrameKind) -> CheckedHeader? {
        let word = ring.firstWord(at: position)
        guard word != known, word != movedOn,
            let length = word.length(of: pattern, atMost: WireFormat.largestPayload(capacity: ring.capacity))
        else { return nil }
        return CheckedHeader(
            word: word, kind: kind, marks: word.marks, descriptors: 0, method: word.method,
            call: ring.secondWord(at: position), prefix: 0, length: length)
    }

    /// The next frame, where there is one, in memory of its own.
    mutating func next() throws(ChannelViolation) -> Frame? {
        guard let header = try look() else { return nil }
        return take(header)
    }

    /// Copies the frame whose header this is, and goes on behind it.
    mutating func take(_ header: CheckedHeader) -> Frame {
        let frame = Frame(
            kind: header.kind, descriptors: header.descriptors, isAttended: header.marks.contains(.attended),
            method: header.method, call: header.call, terms: terms(header), payload: payload(header))
        pass(header)
        return frame
    }

    /// Copies the payload to a place with room for it.
    @inline(__always) func copy(_ header: CheckedHeader, to target: UnsafeMutableRawPointer) {
        // SAFETY: the length was checked to be at most half the ring, and the caller holds it against its own room.
        unsafe ring.copy(
            from: position &+ WireFormat.headerSize &+ header.prefix, to: target, count: header.length)
    }

    /// Goes on behind the frame whose header this is, or stays where it is.
    @inline(__always) mutating func pass(_ header: CheckedHeader) {
        let next = header.next(after: position, capacity: ring.capacity)
        taken &+= header.size
        guard header.word.stays else { return goOn(to: next) }
        (known, movedOn, behind) = (header.word, header.word.movedOn, next)
    }

    @inline(__always) private mutating func goOn(to next: UInt32) {
        position = next
        (known, movedOn) = (.none, .none)
    }

    /// Whether a whole ring was taken since `start` of `taken`: a reader that reads on and on has to look around at
    /// times.
    func hasTakenARing(since start: UInt32) -> Bool {
        taken &- start >= ring.capacity
    }

    private func terms(_ header: CheckedHeader) -> RequestTerms {
        var terms = RequestTerms()
        guard header.prefix > 0 else { return terms }
        // SAFETY: three words without padding, of which any value is valid.
        unsafe withUnsafeMutableBytes(of: &terms) { words in
            if let target = words.baseAddress {
                unsafe ring.copy(from: position &+ WireFormat.headerSize, to: target, count: RequestTerms.size)
            }
        }
        return terms
    }

    private func payload(_ header: CheckedHeader) -> [UInt8] {
        guard header.length > 0 else { return [] }
        let count = Int(truncatingIfNeeded: header.length)
        return unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            guard let target = buffer.baseAddress else { return }
            // SAFETY: the buffer has room for `length` bytes, and all of them are filled.
            unsafe copy(header, to: UnsafeMutableRawPointer(target))
            filled = count
        }
    }

    /// Gives room back to the writer, once it is worth a word: a writer looks for room only when it has none left, and
    /// `WireFormat.step` says why it always finds enough.
    /// - Returns: whether there was any to give: then a writer that sleeps for room is to be woken.
    @inline(__always) mutating func giveBack() -> Bool {
        guard position &- published >= step else { return false }
        giveBackAll()
        return true
    }

    /// Gives back all that was read, and with it the places of its pieces: a writer may wait for the last of them.
    @inline(__always) mutating func giveBackAll() {
        published = position
        // SYNC: releases the ring's bytes; the writer acquires this position before it overwrites them.
        consumed.storeRelease(position)
    }
}

/// A frame's header of which every number was held against a bound of ours.
struct CheckedHeader {
    /// Its first word, to be known again.
    let word: HostileWord
    let kind: FrameKind
    let marks: FrameMarks
    let descriptors: UInt8
    let method: UInt16
    let call: UInt64
    /// Bytes of a request's terms, else 0.
    let prefix: UInt32
    /// Bytes of the payload behind the terms.
    let length: UInt32

    /// Whether it is a request or one-way message with nothing but bytes.
    @inline(__always) var isSimple: Bool {
        descriptors == 0 && (kind == .request || kind == .event)
    }

    /// What it takes in the ring.
    @inline(__always) var size: UInt32 { WireFormat.frameSize(payload: prefix &+ length) }

    /// Where the next frame lies, this one being at `position`.
    @inline(__always) func next(after position: UInt32, capacity: UInt32) -> UInt32 {
        let end = position &+ size
        return WireFormat.next(after: end, turns: marks.contains(.turn), capacity: capacity)
    }
}
