internal import Foundation

/// Numbers in a form for human readers.
package enum Number {
    /// The number with three significant figures.
    package static func short(_ value: Double) -> String {
        switch abs(value) {
        case 0: return "0"
        case ..<0.995: return trimmed(String(format: "%.3f", value))
        case ..<9.995: return trimmed(String(format: "%.2f", value))
        case ..<99.95: return trimmed(String(format: "%.1f", value))
        default: return grouped(value)
        }
    }

    private static func trimmed(_ text: String) -> String {
        var text = text
        while text.hasSuffix("0") { text.removeLast() }
        if text.hasSuffix(".") { text.removeLast() }
        return text
    }

    private static func grouped(_ value: Double) -> String {
        let digits = String(format: "%.0f", value)
        var text = ""
        for (index, digit) in digits.reversed().enumerated() {
            if index > 0, index % 3 == 0, digit != "-" { text.append(",") }
            text.append(digit)
        }
        return String(text.reversed())
    }
}
