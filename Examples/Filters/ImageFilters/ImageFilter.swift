/// A filter for the tones of a picture. Each colour has a curve, which maps each level from 0 to 255 to another level.
///
/// The curves are a text of three lines. Each line names a colour and then points of its curve. Between two points,
/// the curve is straight. A line `grey` may come before the three lines. Then the filter removes the colours from the
/// picture before it applies the curves:
///
/// ```
/// grey
/// red    0:36  128:142  255:242
/// ```
public struct ImageFilter: Sendable, Hashable {
    /// The lookup tables for red, green and blue, with 256 levels each.
    private let tables: [[UInt8]]
    /// Whether the curves are applied to the brightness of a pixel instead of its colours.
    private let isGrey: Bool

    /// The filters whose curves the app carries.
    public static let names = ["sepia", "fade", "dusk", "negative"]

    /// The path of a filter's curves. The app and its extension both use this path.
    public static func file(named name: String, in frameworks: String) -> String {
        "\(frameworks)/ImageFilters/\(name).curve"
    }

    /// Reads curves; nil if the text does not have exactly one curve for each colour.
    public init?(curves text: [UInt8]) {
        var tables: [Substring: [UInt8]] = [:]
        var isGrey = false
        for line in String(decoding: text, as: UTF8.self).split(separator: "\n") where !line.hasPrefix("#") {
            let words = line.split(separator: " ")
            if words == ["grey"], !isGrey, tables.isEmpty {
                isGrey = true
                continue
            }
            guard let colour = words.first, let table = Self.table(through: words.dropFirst()),
                tables.updateValue(table, forKey: colour) == nil
            else { return nil }
        }
        guard tables.count == 3, let red = tables["red"], let green = tables["green"], let blue = tables["blue"]
        else { return nil }
        self.tables = [red, green, blue]
        self.isGrey = isGrey
    }

    /// The table of a curve; nil if a word is not a point, or if the levels of the points do not rise from 0 to 255.
    private static func table(through words: ArraySlice<Substring>) -> [UInt8]? {
        let points = words.compactMap { word -> (level: Int, value: Int)? in
            let numbers = word.split(separator: ":").map { UInt8($0) }
            guard numbers.count == 2, let level = numbers[0], let value = numbers[1] else { return nil }
            return (Int(level), Int(value))
        }
        guard points.count == words.count, points.first?.level == 0, points.last?.level == 255 else { return nil }
        var table: [UInt8] = []
        for (start, end) in zip(points, points.dropFirst()) {
            guard start.level < end.level else { return nil }
            for level in table.count...end.level {
                let rise = (end.value - start.value) * (level - start.level) / (end.level - start.level)
                table.append(UInt8(start.value + rise))
            }
        }
        return table
    }

    /// Changes every pixel of a picture.
    public func apply(to picture: inout Pixmap) {
        if isGrey { picture.takeOutColours() }
        for place in picture.samples.indices {
            picture.samples[place] = tables[place % 3][Int(picture.samples[place])]
        }
    }

    /// The curves as eight bars, from the darkest level to the brightest.
    public var bars: String {
        let marks = Array("▁▂▃▄▅▆▇█")
        return String(
            stride(from: 0, to: 256, by: 36).map { level in
                marks[tables.reduce(0) { $0 + Int($1[level]) } / 96]
            })
    }
}
