/// A hand-written PNG, so that a test can make every layout and break any part of the file.
struct TestPNG {
    var width: UInt32 = 2
    var height: UInt32 = 2
    var depth: UInt8 = 8
    /// The colour type: 0 gray, 2 RGB, 3 palette, 4 gray with alpha, 6 RGB with alpha.
    var colorType: UInt8 = 2
    /// Each row without its filter byte.
    var rows: [[UInt8]] = [[255, 0, 0, 0, 255, 0], [0, 0, 255, 255, 255, 255]]
    /// Chunks between header and pixels.
    var chunks: [(String, [UInt8])] = []

    var bytes: [UInt8] {
        let header = bigEndian(width) + bigEndian(height) + [depth, colorType, 0, 0, 0]
        let middle = chunks.flatMap { Self.chunk($0.0, $0.1) }
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + Self.chunk("IHDR", header) + middle
            + Self.chunk("IDAT", stored(rows.flatMap { [0] + $0 })) + Self.chunk("IEND", [])
    }

    static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
        let body = Array(type.utf8) + data
        var crc: UInt32 = ~0
        for byte in body {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
        }
        return TestPNG().bigEndian(UInt32(data.count)) + body + TestPNG().bigEndian(~crc)
    }

    /// The zlib form with one stored block, which needs no compressor.
    private func stored(_ data: [UInt8]) -> [UInt8] {
        var low: UInt32 = 1
        var high: UInt32 = 0
        for byte in data {
            low = (low + UInt32(byte)) % 65_521
            high = (high + low) % 65_521
        }
        let length = UInt16(data.count)
        return [0x78, 1, 1, UInt8(length & 255), UInt8(length >> 8), UInt8(~length & 255), UInt8(~length >> 8)] + data
            + bigEndian(high << 16 | low)
    }

    private func bigEndian(_ value: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
    }
}
