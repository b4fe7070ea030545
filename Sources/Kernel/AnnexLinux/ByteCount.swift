/// A number of bytes in a form for people to read: `812 bytes`, `14.2 MiB`.
public struct ByteCount: Sendable, Hashable, CustomStringConvertible {
    /// The number of bytes.
    public let bytes: UInt64

    public init(_ bytes: some BinaryInteger) {
        self.bytes = UInt64(clamping: bytes)
    }

    public var description: String {
        var unit = 1
        while unit < Self.units.count, bytes >> (10 * UInt64(unit)) >= 1 { unit += 1 }
        guard unit > 1 else { return "\(bytes) bytes" }
        let scale = UInt64(1) << (10 * UInt64(unit - 1))
        let tenths = (bytes % scale) * 10 / scale
        return tenths == 0
            ? "\(bytes / scale) \(Self.units[unit - 1])" : "\(bytes / scale).\(tenths) \(Self.units[unit - 1])"
    }

    private static let units = ["bytes", "KiB", "MiB", "GiB", "TiB"]
}
