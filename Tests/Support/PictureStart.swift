/// The start of a picture, including all bytes that state its size.
public enum PictureStart {
    public static func png(width: UInt32, height: UInt32, depth: UInt8 = 8, colour: UInt8 = 6) -> [UInt8] {
        func number(_ value: UInt32) -> [UInt8] { (0..<4).reversed().map { UInt8(value >> ($0 * 8) & 0xFF) } }
        let mark: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        return mark + number(13) + Array("IHDR".utf8) + number(width) + number(height)
            + [depth, colour, 0, 0, 0] + number(0)
    }

    /// A JPEG picture up to its first scan.
    /// - Parameter frame: the marker of the frame; `0xC0` is baseline, `0xC2` progressive.
    public static func jpeg(width: UInt16, height: UInt16, frame: UInt8 = 0xC0) -> [UInt8] {
        let sides = [height, width].flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        let comment: [UInt8] = [0xFF, 0xFE, 0, 4, 1, 2]
        return [0xFF, 0xD8] + comment + [0xFF, 0xFF, frame, 0, 11, 8] + sides + [1, 1, 0x11, 0] + [0xFF, 0xDA, 0, 2]
    }
}
