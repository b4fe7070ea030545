extension Duration {
    /// Three figures and a unit: `312 µs`, `1.83 ms`, `2.00 s`.
    var short: String {
        let (seconds, attoseconds) = components
        let microseconds = Double(seconds) * 1e6 + Double(attoseconds) / 1e12
        switch microseconds {
        case ..<1000: return "\(Self.rounded(microseconds, digits: microseconds < 100 ? 1 : 0)) µs"
        case ..<1_000_000: return "\(Self.rounded(microseconds / 1000, digits: 2)) ms"
        default: return "\(Self.rounded(microseconds / 1_000_000, digits: 2)) s"
        }
    }

    private static func rounded(_ value: Double, digits: Int) -> String {
        let scale = digits == 0 ? 1.0 : digits == 1 ? 10 : 100
        let whole = Int((value * scale).rounded())
        guard digits > 0 else { return "\(whole)" }
        let rest = String(whole % Int(scale))
        return "\(whole / Int(scale)).\(String(repeating: "0", count: digits - rest.count))\(rest)"
    }
}
