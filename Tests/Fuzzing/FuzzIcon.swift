import AnnexBundle

/// The start of a picture. If the reader accepts it, it must begin like a PNG file.
enum FuzzIcon {
    static func main() {
        Fuzzer.run { start, count in
            let bytes = Fuzzer.bytes(start, count)
            if IconLimits.fault(in: bytes, length: Int64(count)) == nil {
                Fuzzer.expect(bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]), "no PNG picture")
                Fuzzer.expect(count >= 29, "a picture without a header")
            }
            return 0
        }
    }
}
