/// The start of a PNG picture.
public enum PictureHeader {
    public static func png(width: UInt32, height: UInt32, depth: UInt8 = 8, colour: UInt8 = 6) -> [UInt8] {
        func number(_ value: UInt32) -> [UInt8] { (0..<4).reversed().map { UInt8(value >> ($0 * 8) & 0xFF) } }
        let mark: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        return mark + number(13) + Array("IHDR".utf8) + number(width) + number(height)
            + [depth, colour, 0, 0, 0] + number(0)
    }
}
