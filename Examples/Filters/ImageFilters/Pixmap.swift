/// A picture, and the simplest of its file formats: a portable pixmap (`P6`). The file has a short header and then
/// three bytes for each pixel.
public struct Pixmap: Sendable, Hashable {
    public let width: Int
    public let height: Int
    /// Red, green and blue of each pixel, row after row.
    public internal(set) var samples: [UInt8]

    /// The most pixels in a row or a column.
    public static let longestSide = 16_384

    /// Reads a file from an untrusted source; nil if it is not a whole pixmap of 256 levels.
    public init?(_ file: [UInt8]) {
        guard file.starts(with: [0x50, 0x36]) else { return nil }
        var place = 2
        var numbers: [Int] = []
        for _ in 0..<3 {
            guard let number = Self.number(in: file, at: &place), number <= Self.longestSide else { return nil }
            numbers.append(number)
        }
        let samples = file.dropFirst(place + 1)
        guard numbers[0] > 0, numbers[1] > 0, numbers[2] == 255, samples.count == numbers[0] * numbers[1] * 3
        else { return nil }
        (width, height, self.samples) = (numbers[0], numbers[1], Array(samples))
    }

    /// The number after white space. It has at most five digits.
    private static func number(in file: [UInt8], at place: inout Int) -> Int? {
        let space: Set<UInt8> = [0x09, 0x0A, 0x0D, 0x20]
        let start = file[place...].prefix(8).prefix { space.contains($0) }.endIndex
        let digits = file[start...].prefix(5).prefix { (0x30...0x39).contains($0) }
        guard start > place, digits.endIndex < file.count, space.contains(file[digits.endIndex]) else { return nil }
        place = digits.endIndex
        return Int(String(decoding: digits, as: UTF8.self))
    }

    /// Gives each pixel the grey of its brightness, as an eye perceives it (Rec. 601), computed in 256ths.
    mutating func takeOutColours() {
        for pixel in stride(from: 0, to: samples.count, by: 3) {
            let colours = samples[pixel..<pixel + 3].map(UInt32.init)
            let grey = UInt8((77 * colours[0] + 150 * colours[1] + 29 * colours[2]) >> 8)
            for place in pixel..<pixel + 3 { samples[place] = grey }
        }
    }

    /// The bytes of the file.
    public var file: [UInt8] { Array("P6\n\(width) \(height)\n255\n".utf8) + samples }
}
