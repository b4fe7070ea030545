/// Reads numbers and ranges from untrusted bytes. Every step is checked, and no step can trap.
@usableFromInline
package
    struct ByteCursor: ~Escapable
{
    /// The whole message, so that the offsets in failures count from the message's start.
    @usableFromInline package let bytes: RawSpan
    /// Offset of the next byte in the whole message.
    @usableFromInline package var position: Int
    @usableFromInline package let end: Int

    @_lifetime(copy bytes)
    @inlinable @inline(__always) package init(_ bytes: RawSpan) {
        self.bytes = bytes
        position = 0
        end = bytes.byteCount
    }

    /// Creates a cursor over a part of the bytes. The part is cut where the bytes end.
    @_lifetime(copy bytes)
    @inlinable @inline(__always) package init(_ bytes: RawSpan, part: FieldPlace) {
        self.bytes = bytes
        end = min(max(part.end, 0), bytes.byteCount)
        position = min(max(part.start, 0), end)
    }

    /// How many bytes are left; never negative, because `position` never passes `end`.
    @inlinable package var left: Int { end &- position }

    /// Returns a cursor over another part of the same message. The part is cut at this cursor's end.
    @_lifetime(copy self)
    @inlinable @inline(__always) package func over(_ part: FieldPlace) -> ByteCursor {
        ByteCursor(bytes, part: FieldPlace(start: part.start, end: min(part.end, end)))
    }

    /// Takes the next number; nil if too few bytes are left.
    @_lifetime(self: copy self)
    @inlinable @inline(__always) package mutating func read<Number: FixedWidthInteger & BitwiseCopyable>(_: Number.Type)
        -> Number?
    {
        let size = MemoryLayout<Number>.size
        guard size <= left else { return nil }
        // SAFETY: enough bytes are left, `end` lies within the span, and every bit pattern is a valid integer.
        let number = unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: position, as: Number.self)
        position &+= size
        return Number(littleEndian: number)
    }

    /// The number of the field that begins at `start`; nil unless the field has this tag and the number's width.
    /// - Parameter start: an offset that is not after `end`.
    @inlinable @inline(__always) package func number<Number: FixedWidthInteger & BitwiseCopyable>(
        _: Number.Type, inFieldAt start: Int, tag: UInt16
    ) -> Number? {
        let width = MemoryLayout<Number>.size
        guard 6 &+ width <= end &- start else { return nil }
        // The header is compared as two numbers. The first contains the tag and the low half of the length, and the
        // second contains the high half.
        let low = UInt32(tag) | UInt32(truncatingIfNeeded: width) << 16
        // SAFETY: the field's bytes lie within the span, and every bit pattern is a valid integer.
        guard unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: start, as: UInt32.self) == low.littleEndian,
            unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: start &+ 4, as: UInt16.self) == 0
        else { return nil }
        let number = unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: start &+ 6, as: Number.self)
        return Number(littleEndian: number)
    }

    /// Takes the next `count` bytes and returns their place; nil if fewer bytes are left.
    @_lifetime(self: copy self)
    @inlinable @inline(__always) package mutating func read(count: UInt32) -> FieldPlace? {
        guard let count = Int(exactly: count), count <= left else { return nil }
        let start = position
        position &+= count
        return FieldPlace(start: start, end: position)
    }

    /// The remaining bytes, not copied.
    @inlinable package var rest: RawSpan {
        @_lifetime(copy self) get {
            // SAFETY: both initialisers and every step ensure that 0 <= position <= end <= the span's size.
            unsafe bytes.extracting(unchecked: Range(uncheckedBounds: (position, end)))
        }
    }

    /// A copy of the remaining bytes.
    @inlinable package func copy() -> [UInt8] {
        unsafe rest.withUnsafeBytes { unsafe [UInt8]($0) }
    }

    /// The remaining bytes as text; nil if they are not UTF-8.
    @inlinable package func text() -> String? {
        unsafe rest.withUnsafeBytes { unsafe String(validating: $0, as: UTF8.self) }
    }
}

/// The place of a field's bytes in the whole message. The place is two plain numbers, because a `Range` traps if its
/// bounds are reversed.
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
