/// The picture that the demo makes if the user does not name one: a landscape of gradients, as a PNG.
///
/// The demo writes the PNG itself, because the host links no picture code. The pixels are stored uncompressed, so no
/// compressor is needed.
struct SamplePicture {
    let width = 640
    let height = 400

    /// The whole file.
    func png() -> [UInt8] {
        var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        // 8 bits per channel, colour type 2 (RGB), no interlace.
        file += chunk("IHDR", data: bigEndian(UInt32(width)) + bigEndian(UInt32(height)) + [8, 2, 0, 0, 0])
        file += chunk("IDAT", data: zlib(rows()))
        file += chunk("IEND", data: [])
        return file
    }

    /// The rows of pixels. Each row has the filter byte 0, then RGB values.
    private func rows() -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(height * (1 + width * 3))
        for y in 0..<height {
            bytes.append(0)
            for x in 0..<width { bytes += colour(x: x, y: y) }
        }
        return bytes
    }

    /// A sky above a line of hills, a sun, and a meadow below.
    private func colour(x: Int, y: Int) -> [UInt8] {
        let hill = 240 + (x - 320) * (x - 320) / 1600 - (x % 160) / 8
        let toSun = (x - 480) * (x - 480) + (y - 90) * (y - 90)
        if toSun < 1600 { return [255, 214, 90] }
        if y < hill { return [UInt8(90 + y / 3), UInt8(150 + y / 4), 235] }
        return [UInt8(40 + (y - hill) / 4), UInt8(140 - (y - hill) / 4), 60]
    }

    /// Wraps data as RFC 1950 and 1951 require: stored blocks of at most 65,535 bytes.
    private func zlib(_ data: [UInt8]) -> [UInt8] {
        var out: [UInt8] = [0x78, 0x01]
        var rest = data[...]
        while !rest.isEmpty {
            let block = rest.prefix(65_535)
            rest = rest.dropFirst(block.count)
            let length = UInt16(block.count)
            out.append(rest.isEmpty ? 1 : 0)
            out += [UInt8(length & 0xFF), UInt8(length >> 8), UInt8(~length & 0xFF), UInt8(~length >> 8)]
            out += block
        }
        return out + bigEndian(adler32(data))
    }

    private func chunk(_ type: String, data: [UInt8]) -> [UInt8] {
        let body = Array(type.utf8) + data
        return bigEndian(UInt32(data.count)) + body + bigEndian(crc32(body))
    }

    private func bigEndian(_ value: UInt32) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }

    private func adler32(_ data: [UInt8]) -> UInt32 {
        var low: UInt32 = 1
        var high: UInt32 = 0
        for byte in data {
            low = (low + UInt32(byte)) % 65_521
            high = (high + low) % 65_521
        }
        return high << 16 | low
    }

    private func crc32(_ data: [UInt8]) -> UInt32 {
        var crc: UInt32 = ~0
        for byte in data {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
        }
        return ~crc
    }
}
