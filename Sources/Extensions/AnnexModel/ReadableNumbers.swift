// The type is declared in AnnexLinux, so that the floors below can use it too.
@_exported public import struct AnnexLinux.ByteCount

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
