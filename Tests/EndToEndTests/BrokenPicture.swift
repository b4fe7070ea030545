import Foundation

/// Files that are not valid pictures.
enum BrokenPicture {
    static func bytes(_ kind: String) -> Data {
        switch kind {
        case "truncated": header(width: 64, height: 64)
        case "zero": Data()
        case "text": Data("This is not a picture.\n".utf8)
        default: header(width: 30_000, height: 30_000)
        }
    }

    /// A correct signature and IHDR with its checksum, and nothing after it.
    private static func header(width: UInt32, height: UInt32) -> Data {
        var chunk = Data("IHDR".utf8)
        for value in [width, height] { withUnsafeBytes(of: value.bigEndian) { chunk.append(contentsOf: $0) } }
        chunk.append(contentsOf: [8, 2, 0, 0, 0])
        var file = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13])
        file.append(chunk)
        withUnsafeBytes(of: checksum(chunk).bigEndian) { file.append(contentsOf: $0) }
        return file
    }

    private static func checksum(_ data: Data) -> UInt32 {
        var crc: UInt32 = ~0
        for byte in data {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
        }
        return ~crc
    }
}
