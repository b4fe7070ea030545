internal import AnnexLinux

// The one file through which a peer's numbers become ours. A `Hostile` value has no operators, cannot index and
// cannot be turned into an `Int`: the only ways out are the checks below, none of which can trap. What comes out has
// been held against a bound of our own.

/// A number that the peer chose, read exactly once.
struct Hostile<Value: FixedWidthInteger & UnsignedInteger & Sendable>: Sendable {
    private let value: Value

    @inline(__always) init(_ value: Value) {
        self.value = value
    }

    /// The number, where it is no more than `limit`.
    @inline(__always) func atMost(_ limit: Value) -> Value? {
        value <= limit ? value : nil
    }

    /// The number, where it is less than `limit`.
    func below(_ limit: Value) -> Value? {
        value < limit ? value : nil
    }

    /// The number for a report's text. Never for anything else.
    var forReport: UInt64 {
        UInt64(truncatingIfNeeded: value)
    }
}

extension Hostile<UInt32> {
    /// How far a position, counted modulo 2^32, is ahead of ours.
    func distance(from ours: UInt32) -> Hostile<UInt32> {
        Hostile(value &- ours)
    }

    /// The number, where frames can end there: between two bounds of ours and a multiple of a frame's alignment.
    func step(from least: UInt32, to most: UInt32) -> UInt32? {
        guard value >= least, value <= most, value & (WireFormat.alignment &- 1) == 0 else { return nil }
        return value
    }
}

/// A header's first word as the peer wrote it, which is compared with what is expected before any part of it is used.
struct HostileWord: Equatable {
    private let value: UInt64

    /// What lies where no frame is or was.
    static let none = HostileWord(0)

    /// - Parameter value: read exactly once.
    @inline(__always) init(_ value: UInt64) {
        self.value = value
    }

    /// The length that it says, where it is of this pattern and the length at most `limit`.
    @inline(__always) func length(of pattern: FramePattern, atMost limit: UInt32) -> UInt32? {
        let length = UInt32(truncatingIfNeeded: value >> 32)
        return UInt32(truncatingIfNeeded: value) & pattern.mask == pattern.bits && length <= limit ? length : nil
    }

    var kind: UInt8 { UInt8(truncatingIfNeeded: value) & ~PlaceMarks.all.rawValue }
    var descriptors: UInt8 { UInt8(truncatingIfNeeded: value >> 8) & FrameMarks.descriptors }
    var marks: FrameMarks { FrameMarks(rawValue: UInt8(truncatingIfNeeded: value >> 8) & ~FrameMarks.descriptors) }
    var method: UInt16 { UInt16(truncatingIfNeeded: value >> 16) }
    var length: Hostile<UInt32> { Hostile(UInt32(truncatingIfNeeded: value >> 32)) }

    /// Whether the next frame lies where this one does.
    @inline(__always) var stays: Bool { value & PlaceMarks.stays.word != 0 }
    /// The same word once its writer goes on behind it.
    @inline(__always) var movedOn: HostileWord { HostileWord(value & ~PlaceMarks.stays.word) }
    /// The half that a sleeper compares.
    var bed: UInt32 { UInt32(truncatingIfNeeded: value) }
}

/// Sizes that fstat(2) reports of a file that the peer made.
struct HostileSize {
    private let size: Int64
    private let blocks: Int64
    private let firstHole: Int64

    init(_ status: FileStatus, firstHole: Int64) {
        size = status.size
        blocks = status.blocks
        self.firstHole = firstHole
    }

    /// The size in bytes, where it is at most `limit` and at least 1.
    func bytes(atMost limit: UInt64) -> Int? {
        guard size > 0, UInt64(truncatingIfNeeded: size) <= limit else { return nil }
        return Int(truncatingIfNeeded: size)
    }

    /// Whether every byte has memory of its own, so that reading takes none of the reader's.
    var isFilled: Bool {
        // Blocks may lie behind the end, and a hole that is asked for may be memory that nobody filled yet: both must be
        // right. Compared in blocks: multiplying up could overflow.
        firstHole == size && blocks >= size / 512 && (size % 512 == 0 || blocks > size / 512)
    }

    /// The size for a report's text.
    var forReport: UInt64 {
        UInt64(truncatingIfNeeded: size)
    }
}

extension Dictionary {
    /// What stands under a key that the peer may have chosen.
    package func value(of key: Key) -> Value? {
        self[key]
    }
}

extension Array {
    /// Changes what stands at a place that the peer may have brought about.
    /// - Returns: what `body` returns; false where nothing stands there.
    package mutating func change(at place: Int, _ body: (inout Element) -> Bool) -> Bool {
        indices.contains(place) && body(&self[place])
    }
}
