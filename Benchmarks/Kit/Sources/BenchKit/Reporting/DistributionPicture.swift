internal import Foundation
internal import Histogram

/// A scene's distributions as an SVG picture. The horizontal axis is a share of the calls. From one mark to the next, the remaining share
/// falls to a tenth. The vertical axis is the longest time that this share of calls took, on a logarithmic scale.
package struct DistributionPicture {
    private let title: String
    private let lines: [(name: String, kind: Contestant.Kind, histogram: Histogram<UInt64>)]

    package init(_ result: SceneResult) {
        title = result.scene.title
        lines = result.scene.contestants.compactMap { contestant in
            let tally = result.tallies[contestant.name]
            return (tally?.single ?? tally?.batched).map { (contestant.name, contestant.kind, $0) }
        }
    }

    private static let size = (width: 900.0, height: 480.0)
    private static let area = (left: 70.0, right: 690.0, top: 50.0, bottom: 430.0)
    /// Shares of calls: none, nine tenths, 99 %, …
    private static let nines = 5
    private static let colours = [
        "#4269d0", "#ff725c", "#6cc5b0", "#efb118", "#9c6b4e", "#a463f2", "#ff8ab7", "#97bbf5", "#3ca951", "#9498a0",
    ]

    /// nil if there is no measurement.
    package var text: String? {
        guard let range else { return nil }
        var parts = [
            """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Int(Self.size.width)) \(Int(Self.size.height))" \
            font-family="sans-serif" font-size="12">
            <rect width="100%" height="100%" fill="white"/>
            <text x="\(Self.area.left)" y="28" font-size="16">\(escaped(title))</text>
            """
        ]
        parts += axes(range)
        for (index, line) in lines.enumerated() { parts += curve(line, index: index, in: range) }
        return parts.joined(separator: "\n") + "\n</svg>\n"
    }

    /// The whole powers of ten of picoseconds around all drawn values.
    private var range: (low: Double, high: Double)? {
        let drawn = lines.flatMap { line in [line.histogram.min, line.histogram.valueAtPercentile(99.999)] }
        guard let low = drawn.min(), let high = drawn.max() else { return nil }
        let bottom = floor(log10(Double(max(1, low))))
        return (bottom, max(bottom + 1, ceil(log10(Double(max(1, high))))))
    }

    private func axes(_ range: (low: Double, high: Double)) -> [String] {
        var parts: [String] = []
        for power in Int(range.low)...Int(range.high) {
            let y = height(Double(power), in: range)
            parts.append(rule(x1: Self.area.left, y1: y, x2: Self.area.right, y2: y))
            parts.append(label(x: Self.area.left - 8, y: y + 4, anchor: "end", text: Self.duration(power)))
        }
        for nine in 0...Self.nines {
            let x = Self.area.left + (Self.area.right - Self.area.left) * Double(nine) / Double(Self.nines)
            parts.append(rule(x1: x, y1: Self.area.top, x2: x, y2: Self.area.bottom))
            let share =
                nine == 0 ? "0" : nine == 1 ? "90" : nine == 2 ? "99" : "99." + String(repeating: "9", count: nine - 2)
            parts.append(label(x: x, y: Self.area.bottom + 18, anchor: "middle", text: share + " %"))
        }
        return parts
    }

    private func curve(
        _ line: (name: String, kind: Contestant.Kind, histogram: Histogram<UInt64>), index: Int,
        in range: (low: Double, high: Double)
    ) -> [String] {
        let colour = Self.colours[index % Self.colours.count]
        let points = stride(from: 0.0, through: Double(Self.nines), by: 0.05).compactMap { nines -> String? in
            // A share is not drawn if too few calls were made to measure it.
            guard Double(line.histogram.totalCount) >= pow(10, nines) else { return nil }
            let value = line.histogram.valueAtPercentile(100 * (1 - pow(10, -nines)))
            let x = Self.area.left + (Self.area.right - Self.area.left) * nines / Double(Self.nines)
            return String(format: "%.1f,%.1f", x, height(log10(Double(max(1, value))), in: range))
        }
        let width = line.kind == .ours ? 3 : 1.5
        let y = Self.area.top + 12 + Double(index) * 18
        return [
            #"<polyline fill="none" stroke="\#(colour)" stroke-width="\#(width)" points="\#(points.joined(separator: " "))"/>"#,
            #"<rect x="\#(Self.area.right + 18)" y="\#(y - 9)" width="14" height="4" fill="\#(colour)"/>"#,
            label(x: Self.area.right + 38, y: y - 3, anchor: "start", text: line.name, isBold: line.kind == .ours),
        ]
    }

    private func height(_ power: Double, in range: (low: Double, high: Double)) -> Double {
        let share = (min(power, range.high) - range.low) / (range.high - range.low)
        return Self.area.bottom - share * (Self.area.bottom - Self.area.top)
    }

    private func rule(x1: Double, y1: Double, x2: Double, y2: Double) -> String {
        #"<line x1="\#(x1)" y1="\#(y1)" x2="\#(x2)" y2="\#(y2)" stroke="silver"/>"#
    }

    private func label(x: Double, y: Double, anchor: String, text: String, isBold: Bool = false) -> String {
        let weight = isBold ? #" font-weight="bold""# : ""
        return #"<text x="\#(x)" y="\#(y)" text-anchor="\#(anchor)"\#(weight)>\#(escaped(text))</text>"#
    }

    private func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }

    /// A power of ten of picoseconds.
    private static func duration(_ power: Int) -> String {
        let units = ["ps", "ns", "µs", "ms", "s"]
        let unit = min(power / 3, units.count - 1)
        return "1\(String(repeating: "0", count: power - 3 * unit)) \(units[unit])"
    }
}
