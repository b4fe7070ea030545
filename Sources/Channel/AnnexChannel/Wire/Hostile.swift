internal import AnnexLinux

// All numbers from the peer pass through this file. A `Hostile` value has no operators, cannot index and cannot be
// converted to an `Int`. Only the checks below return a number. None of the checks can trap, and each check compares
// with a bound that this side sets.

/// A number that the peer chose, read exactly once.
struct Hostile<Value: FixedWidthInteger & UnsignedInteger & Sendable>: Sendable {
    private let value: Value

    @inline(__always) init(_ value: Value) {
        self.value = value
    }

    /// The number; nil if it is more than `limit`.
    @inline(__always) func atMost(_ limit: Value) -> Value? {
        value <= limit ? value : nil
    }

    /// The number; nil if it is not less than `limit`.
    func below(_ limit: Value) -> Value? {
        value < limit ? value : nil
    }

    /// The number for a report's text. The number must not be used for anything other than reports.
    var forReport: UInt64 {
        UInt64(truncatingIfNeeded: value)
    }
}

extension Hostile<UInt32> {
    /// How far a position, counted modulo 2^32, is ahead of this side's position.
    func distance(from ours: UInt32) -> Hostile<UInt32> {
        Hostile(value &- ours)
    }

    /// The number if a frame can end at this offset. The result is nil if the number is outside the two bounds or is
    /// not a multiple of a frame's alignment.
    func step(from least: UInt32, to most: UInt32) -> UInt32? {
        guard value >= least, value <= most, value & (WireFormat.alignment &- 1) == 0 else { return nil }
        return value
    }
}

/// A header's first word as the peer wrote it. The word is compared with expected values before any part of the word is
/// used.
struct HostileWord: Equatable {
    private let value: UInt64

    /// The word at a place without a frame.
    static let none = HostileWord(0)

    /// - Parameter value: the word, read exactly once.
    @inline(__always) init(_ value: UInt64) {
        self.value = value
    }

    /// The frame's length; nil if the word does not match the pattern or the length is more than `limit`.
    @inline(__always) func length(of pattern: FramePattern, atMost limit: UInt32) -> UInt32? {
        let length = UInt32(truncatingIfNeeded: value >> 32)
        return UInt32(truncatingIfNeeded: value) & pattern.mask == pattern.bits && length <= limit ? length : nil
    }

    var kind: UInt8 { UInt8(truncatingIfNeeded: value) & ~PlaceMarks.all.rawValue }
    var descriptors: UInt8 { UInt8(truncatingIfNeeded: value >> 8) & FrameMarks.descriptors }
    var marks: FrameMarks { FrameMarks(rawValue: UInt8(truncatingIfNeeded: value >> 8) & ~FrameMarks.descriptors) }
    var method: UInt16 { UInt16(truncatingIfNeeded: value >> 16) }
    var length: Hostile<UInt32> { Hostile(UInt32(truncatingIfNeeded: value >> 32)) }

    /// Whether the next frame lies in the same place as this frame.
    @inline(__always) var stays: Bool { value & PlaceMarks.stays.word != 0 }
    /// The same word after the writer has removed the mark `stays`. The next frame then lies after this frame.
    @inline(__always) var movedOn: HostileWord { HostileWord(value & ~PlaceMarks.stays.word) }
    /// The half of the word on which a sleeping thread waits.
    var bed: UInt32 { UInt32(truncatingIfNeeded: value) }
}

/// The sizes that fstat(2) reports for a file that the peer made.
struct HostileSize {
    private let size: Int64
    private let blocks: Int64
    private let firstHole: Int64

    init(_ status: FileStatus, firstHole: Int64) {
        size = status.size
        blocks = status.blocks
        self.firstHole = firstHole
    }

    /// The size in bytes; nil unless it is at least 1 and at most `limit`.
    func bytes(atMost limit: UInt64) -> Int? {
        guard size > 0, UInt64(truncatingIfNeeded: size) <= limit else { return nil }
        return Int(truncatingIfNeeded: size)
    }

    /// True only if memory is already allocated for every byte of the file. Reading the file then allocates no memory
    /// that is charged to the reader.
    var isFilled: Bool {
        // Two tests must hold: the file has no hole before its end, and it has enough blocks of 512 bytes for its
        // size. Enough blocks prove nothing alone, because blocks may lie after the file's end. Allocated memory that
        // no process has filled can count as a hole, so such a file can fail the first test. The second test compares
        // in blocks, because multiplication could overflow.
        firstHole == size && blocks >= size / 512 && (size % 512 == 0 || blocks > size / 512)
    }

    /// The size for a report's text.
    var forReport: UInt64 {
        UInt64(truncatingIfNeeded: size)
    }
}

extension Dictionary {
    /// The value for a key that the peer may have chosen; nil if the key has no value.
    package func value(of key: Key) -> Value? {
        self[key]
    }
}

extension Array {
    /// Changes the element at an index that the peer may have influenced.
    /// - Returns: the result of `body`; false if the index is out of range.
    package mutating func change(at place: Int, _ body: (inout Element) -> Bool) -> Bool {
        indices.contains(place) && body(&self[place])
    }
}
