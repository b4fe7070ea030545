/// The one place where bytes from a peer meet arithmetic: every step is checked, none can trap.
@usableFromInline
package
    struct ByteCursor: ~Escapable
{
    /// The whole message, so that offsets in failures are the message's own.
    @usableFromInline package let bytes: RawSpan
    /// Offset of the next byte, in the whole message.
    @usableFromInline package var position: Int
    @usableFromInline package let end: Int

    @_lifetime(copy bytes)
    @inlinable @inline(__always) package init(_ bytes: RawSpan) {
        self.bytes = bytes
        position = 0
        end = bytes.byteCount
    }

    /// Over a part of the bytes; cut to what is there.
    @_lifetime(copy bytes)
    @inlinable @inline(__always) package init(_ bytes: RawSpan, _ part: FieldPlace) {
        self.bytes = bytes
        end = min(max(part.end, 0), bytes.byteCount)
        position = min(max(part.start, 0), end)
    }

    /// How many bytes are left; never negative, as `position` never passes `end`.
    @inlinable package var left: Int { end &- position }

    /// Another part of the same message, cut to where this one ends.
    @_lifetime(copy self)
    @inlinable @inline(__always) package func over(_ part: FieldPlace) -> ByteCursor {
        ByteCursor(bytes, FieldPlace(start: part.start, end: min(part.end, end)))
    }

    /// The next number, or nil where too few bytes are left.
    @_lifetime(self: copy self)
    @inlinable @inline(__always) package mutating func take<Number: FixedWidthInteger & BitwiseCopyable>(_: Number.Type)
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
    @inlinable @inline(__always) package mutating func take(count: UInt32) -> FieldPlace? {
        guard let count = Int(exactly: count), count <= left else { return nil }
        let start = position
        position &+= count
        return FieldPlace(start: start, end: position)
    }

    /// What is left, where it lies.
    @inlinable package var rest: RawSpan {
        @_lifetime(copy self) get {
            // SAFETY: 0 <= position <= end <= the span's size, held by both initialisers and every step.
            unsafe bytes.extracting(unchecked: Range(uncheckedBounds: (position, end)))
        }
    }

    /// A copy of what is left.
    @inlinable package func copy() -> [UInt8] {
        unsafe rest.withUnsafeBytes { unsafe [UInt8]($0) }
    }

    /// What is left as text, or nil where it is not UTF-8.
    @inlinable package func text() -> String? {
        unsafe rest.withUnsafeBytes { unsafe String(validating: $0, as: UTF8.self) }
    }
}

/// Where a field's bytes lie in the whole message. Plain numbers: a range would trap where they are the wrong way round.
@usableFromInline
package
    struct FieldPlace: Sendable
{
    @usableFromInline package let start: Int
    @usableFromInline package let end: Int

    @inlinable package init(start: Int, end: Int) {
        self.start = start
        self.end = end
    }
}
