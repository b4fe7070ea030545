/// Reads big-endian numbers at offsets that the file itself states. Every offset is checked, so no read can trap.
package struct BigEndianFile {
    private let bytes: [UInt8]

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    package var count: Int { bytes.count }

    /// The bytes at an offset; nil if the file does not contain all of them.
    package func bytes(at place: Int, count: Int) -> ArraySlice<UInt8>? {
        let (end, overflow) = place.addingReportingOverflow(count)
        guard place >= 0, count >= 0, !overflow, end <= bytes.count else { return nil }
        return bytes[place..<end]
    }

    /// Up to 8 bytes as an unsigned number.
    package func bits(at place: Int, size: Int) -> UInt64? {
        guard size <= 8, let part = bytes(at: place, count: size) else { return nil }
        return part.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// A number of at most 32 bits; nil if the number is larger, or if the file does not contain all its bytes. Files
    /// are shorter than 4 GiB, so an offset in a file always fits. The sum or product of two such numbers cannot
    /// overflow.
    package func number(at place: Int, size: Int) -> Int? {
        bits(at: place, size: size).flatMap { $0 <= UInt64(UInt32.max) ? Int($0) : nil }
    }

    /// Text of `count` UTF-16 units; nil if the file ends before the text does, or if the units are not valid.
    package func utf16(at place: Int, count: Int) -> String? {
        guard count <= bytes.count, let part = bytes(at: place, count: count * 2) else { return nil }
        let units = stride(from: part.startIndex, to: part.endIndex, by: 2).map {
            UInt16(part[$0]) << 8 | UInt16(part[$0 + 1])
        }
        return String(validating: units, as: UTF16.self)
    }
}
