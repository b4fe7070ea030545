/// The one place where bytes from a peer meet arithmetic: every step is checked, none can trap.
@usableFromInline
struct ByteCursor: ~Escapable {
    /// The whole message, so that offsets in failures are the message's own.
    @usableFromInline let bytes: RawSpan
    /// Offset of the next byte, in the whole message.
    @usableFromInline var position: Int
    @usableFromInline let end: Int

    @_lifetime(copy bytes)
    @inlinable @inline(__always) init(_ bytes: RawSpan) {
        self.bytes = bytes
        position = 0
        end = bytes.byteCount
    }

    /// Over a part of the bytes; cut to what is there.
    @_lifetime(copy bytes)
    @inlinable @inline(__always) init(_ bytes: RawSpan, _ part: FieldPlace) {
        self.bytes = bytes
        end = min(max(part.end, 0), bytes.byteCount)
        position = min(max(part.start, 0), end)
    }

    /// How many bytes are left; never negative, as `position` never passes `end`.
    @inlinable var left: Int { end &- position }

    /// Another part of the same message, cut to where this one ends.
    @_lifetime(copy self)
    @inlinable @inline(__always) func over(_ part: FieldPlace) -> ByteCursor {
        ByteCursor(bytes, FieldPlace(start: part.start, end: min(part.end, end)))
    }

    /// The next number, or nil where too few bytes are left.
    @_lifetime(self: copy self)
    @inlinable @inline(__always) mutating func take<Number: FixedWidthInteger & BitwiseCopyable>(_: Number.Type)
        -> Number?
    {
        let size = MemoryLayout<Number>.size
        guard size <= left else { return nil }
        // SAFETY: as many bytes are left, `end` lies within the span, and every value of them is an integer.
        let number = unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: position, as: Number.self)
        position &+= size
        return Number(littleEndian: number)
    }

    /// The next `count` bytes' place, or nil where fewer are left.
    @_lifetime(self: copy self)
    @inlinable @inline(__always) mutating func take(count: UInt32) -> FieldPlace? {
        guard let count = Int(exactly: count), count <= left else { return nil }
        let start = position
        position &+= count
        return FieldPlace(start: start, end: position)
    }

    /// What is left, where it lies.
    @inlinable var rest: RawSpan {
        @_lifetime(copy self) get {
            // SAFETY: 0 <= position <= end <= the span's size, held by both initialisers and every step.
            unsafe bytes.extracting(unchecked: Range(uncheckedBounds: (position, end)))
        }
    }

    /// A copy of what is left.
    @inlinable func copy() -> [UInt8] {
        unsafe rest.withUnsafeBytes { unsafe [UInt8]($0) }
    }

    /// What is left as text, or nil where it is not UTF-8.
    @inlinable func text() -> String? {
        unsafe rest.withUnsafeBytes { unsafe String(validating: $0, as: UTF8.self) }
    }
}
