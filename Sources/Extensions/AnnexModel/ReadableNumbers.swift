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

extension Duration {
    /// The duration as three figures and a unit: `1.83 µs`, `312 µs`, `20.3 ms`, `2.00 s`. A duration of a thousand
    /// seconds or more is shown in whole seconds. A negative duration is shown as zero.
    package var short: String {
        let (seconds, attoseconds) = components
        let whole = max(0, Double(seconds) * 1e6 + Double(attoseconds) / 1e12)
        for (unit, scale) in [("µs", 1.0), ("ms", 1e3)] {
            // A value that rounds to 1000 of this unit is shown in the next larger unit.
            if whole / scale < 999.5 { return "\(Self.threeFigures(whole / scale)) \(unit)" }
        }
        return "\(Self.threeFigures(whole / 1e6)) s"
    }

    private static func threeFigures(_ value: Double) -> String {
        let digits = value < 9.995 ? 2 : value < 99.95 ? 1 : 0
        guard digits > 0 else { return "\(Int(value.rounded()))" }
        let scale = digits == 1 ? 10 : 100
        let whole = Int((value * Double(scale)).rounded())
        let rest = String(whole % scale)
        return "\(whole / scale).\(String(repeating: "0", count: digits - rest.count))\(rest)"
    }
}
