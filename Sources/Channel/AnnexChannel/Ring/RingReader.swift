internal import AnnexLinux

/// The receiving side of a ring: it copies out the frames that the other side writes.
///
/// A frame is published as soon as its header's first word is not 0. The writer alone decides which bytes are frames.
/// The reader moves from header to header. Each move is at most one frame, which is at most half the ring. The reader
/// masks every position, so that it lies inside the ring. A writer that changes a published frame only makes this side
/// read a different frame.
struct RingReader: ~Copyable {
    private let ring: RingBytes
    private let consumed: WritableWord
    private let step: UInt32
    /// How far this side has read, modulo 2^32; the position of the next header.
    private(set) var position: UInt32 = 0
    /// The last value of `position` that was published to the other side.
    private var published: UInt32 = 0
    /// How many bytes of frames were read, modulo 2^32. Frames that stayed in one place count as well.
    private(set) var bytesRead: UInt32 = 0
    /// The value of the word at `position` as long as there is no new frame. Usually this is `HostileWord.none`. If the
    /// next frame may use the place of the frame that was read last, this is the first word of that frame.
    private var known = HostileWord.none
    /// `movedOn` is the value of the word at `position` after the writer has moved on from the frame that stays.
    /// `behind` is the position of the next header in this case.
    private var movedOn = HostileWord.none
    private var behind: UInt32 = 0

    init(ring: RingBytes, consumed: WritableWord) {
        self.ring = ring
        self.consumed = consumed
        step = WireFormat.step(capacity: ring.capacity)
    }

    /// Whether the word at the position of the next header has changed. The content of the word is not checked.
    @inline(__always) var hasNews: Bool { ring.peek(at: position) != known }

    /// The word on which a sleeping reader waits while the word has the value `bedValue`.
    var bed: SharedWord { ring.bed(at: position) }
    var bedValue: UInt32 { known.bed }

    /// Checks once whether a frame is published.
    /// - Returns: the frame's header, with all numbers checked; nil if no frame is published.
    @inline(__always) mutating func poll() throws(ChannelViolation) -> CheckedHeader? {
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

    /// Finds, with few comparisons, the next frame's header if it matches the pattern. Returns nil if the header does
    /// not match or there is no frame. `poll()` handles the other cases.
    @inline(__always) func poll(for pattern: FramePattern, kind: FrameKind) -> CheckedHeader? {
        let word = ring.firstWord(at: position)
        guard word != known, word != movedOn,
            let length = word.length(of: pattern, atMost: WireFormat.largestPayload(capacity: ring.capacity))
        else { return nil }
        return CheckedHeader(
            word: word, kind: kind, marks: word.marks, descriptors: 0, method: word.method,
            call: ring.secondWord(at: position), prefix: 0, length: length)
    }

    /// Copies the next frame into separate memory. Returns nil if there is no frame.
    mutating func next() throws(ChannelViolation) -> Frame? {
        guard let header = try poll() else { return nil }
        return read(header)
    }

    /// Copies the frame with this header and moves on to the next frame.
    mutating func read(_ header: CheckedHeader) -> Frame {
        let frame = Frame(
            kind: header.kind, descriptors: header.descriptors, isAttended: header.marks.contains(.attended),
            method: header.method, call: header.call, terms: terms(header), payload: payload(header))
        pass(header)
        return frame
    }

    /// Copies the payload to memory that has room for it.
    @inline(__always) func copy(_ header: CheckedHeader, to target: UnsafeMutableRawPointer) {
        // SAFETY: the length was checked to be at most half the ring, and the caller has compared the length with the
        // room at the target.
        unsafe ring.copy(
            from: position &+ WireFormat.headerSize &+ header.prefix, to: target, count: header.length)
    }

    /// Moves on to the frame after this frame. The next frame may lie in the same place.
    @inline(__always) mutating func pass(_ header: CheckedHeader) {
        let next = header.next(after: position, capacity: ring.capacity)
        bytesRead &+= header.size
        guard header.word.stays else { return goOn(to: next) }
        (known, movedOn, behind) = (header.word, header.word.movedOn, next)
    }

    @inline(__always) private mutating func goOn(to next: UInt32) {
        position = next
        (known, movedOn) = (.none, .none)
    }

    /// Whether this side has read as many bytes as the ring holds since `bytesRead` had the value `start`. If so, a
    /// loop that reads frames stops, so that its thread can check for other events.
    func hasReadARing(since start: UInt32) -> Bool {
        bytesRead &- start >= ring.capacity
    }

    private func terms(_ header: CheckedHeader) -> RequestTerms {
        var terms = RequestTerms()
        guard header.prefix > 0 else { return terms }
        // SAFETY: the terms are three words without padding, and every value is valid.
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

    /// Returns room to the writer when there is enough to return. A writer checks for room only if it has no room left.
    /// `WireFormat.step` explains why the writer always finds enough room.
    /// - Returns: whether room was returned. The caller must then wake a writer that sleeps for room.
    @inline(__always) mutating func giveBack() -> Bool {
        guard position &- published >= step else { return false }
        giveBackAll()
        return true
    }

    /// Returns the room of all frames that were read, and the places of their pieces. A writer may be waiting for the
    /// last of these places.
    @inline(__always) mutating func giveBackAll() {
        published = position
        // SYNC: releases the ring's bytes. The writer acquires this position before it overwrites them.
        consumed.storeRelease(position)
    }
}

/// A frame's header. All its numbers were checked against bounds that this side sets.
struct CheckedHeader {
    /// The header's first word. The reader compares it with later values of the same word.
    let word: HostileWord
    let kind: FrameKind
    let marks: FrameMarks
    let descriptors: UInt8
    let method: UInt16
    let call: UInt64
    /// The number of bytes of a request's terms; 0 for other frames.
    let prefix: UInt32
    /// The number of bytes of the payload after the terms.
    let length: UInt32

    /// Whether the frame is a request or one-way message without descriptors.
    @inline(__always) var isSimple: Bool {
        descriptors == 0 && (kind == .request || kind == .event)
    }

    /// The bytes of the frame in the ring.
    @inline(__always) var size: UInt32 { WireFormat.frameSize(payload: prefix &+ length) }

    /// The position of the next frame if this frame is at `position`.
    @inline(__always) func next(after position: UInt32, capacity: UInt32) -> UInt32 {
        let end = position &+ size
        return WireFormat.next(after: end, turns: marks.contains(.turn), capacity: capacity)
    }
}
