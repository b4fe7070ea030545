/// The first chunk of a PNG file, which states the picture's size. The picture itself is not decoded.
package struct PNGHeader: Hashable {
    /// The width in pixels.
    package let width: Int
    package let height: Int

    /// The number of bytes that are read: the signature, and the first chunk without its checksum.
    package static let size = 29

    private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// Reads the header; nil if the bytes are not the beginning of a PNG file.
    package init?(_ bytes: [UInt8]) {
        let file = BigEndianFile(bytes)
        guard bytes.starts(with: Self.signature), file.number(at: 8, size: 4) == 13,
            file.bytes(at: 12, count: 4)?.elementsEqual("IHDR".utf8) == true,
            let width = file.number(at: 16, size: 4), let height = file.number(at: 20, size: 4),
            let depth = file.number(at: 24, size: 1), let colour = file.number(at: 25, size: 1),
            let compression = file.number(at: 26, size: 1), let filter = file.number(at: 27, size: 1),
            let interlace = file.number(at: 28, size: 1)
        else { return nil }
        guard Self.depths(ofColour: colour).contains(depth), compression == 0, filter == 0, interlace <= 1 else {
            return nil
        }
        self.width = width
        self.height = height
    }

    /// The numbers of bits per sample that the format allows for a kind of colour.
    private static func depths(ofColour colour: Int) -> [Int] {
        switch colour {
        case 0: [1, 2, 4, 8, 16]
        case 3: [1, 2, 4, 8]
        case 2, 4, 6: [8, 16]
        default: []
        }
    }
}
