import Foundation
import PictureEditing
import Testing

@Suite(.timeLimit(.minutes(20))) struct PictureTests {
    /// The file after an edit.
    private func edited(_ file: [UInt8], _ edit: PictureEdit?, limit: UInt64 = 1 << 20) throws -> [UInt8] {
        var picture = try Picture(decoding: file)
        if let edit { picture.apply(edit) }
        let place = FileManager.default.temporaryDirectory.appending(path: "annex-edited-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: place) }
        try Data().write(to: place)
        let output = try FileHandle(forWritingTo: place)
        try picture.encode(into: output.fileDescriptor, limit: limit)
        return Array(try Data(contentsOf: place))
    }

    @Test func `inverting a picture twice gives every pixel back`() throws {
        for colorType: UInt8 in [2, 6] {
            var png = TestPNG(colorType: colorType)
            if colorType == 6 { png.rows = [[255, 0, 0, 7, 0, 255, 0, 255], [1, 2, 3, 0, 9, 9, 9, 128]] }
            let once = try edited(png.bytes, .invert)
            let twice = try edited(once, .invert)
            #expect(once != twice)
            #expect(try edited(png.bytes, nil) == twice)
        }
    }

    @Test func `an edit keeps kind, size and alpha`() throws {
        let png = TestPNG(colorType: 6, rows: [[1, 2, 3, 9, 4, 5, 6, 255], [7, 8, 9, 0, 1, 1, 1, 128]])
        let before = try Picture(decoding: png.bytes)
        let after = try Picture(decoding: edited(png.bytes, .sepia))
        #expect(after.format == .png && after.channels == 4 && before.channels == 4)
        #expect(after.width == 2 && after.height == 2)
        let jpeg = try Picture(decoding: edited(TestJPEG.progressive, .sepia))
        #expect(jpeg.format == .jpeg && jpeg.width == 8 && jpeg.height == 8 && jpeg.channels == 3)
    }

    @Test func `every layout of PNG is read`() throws {
        let palette: [(String, [UInt8])] = [("PLTE", [255, 0, 0, 0, 255, 0])]
        let layouts: [(TestPNG, channels: Int)] = [
            (TestPNG(depth: 1, colorType: 0, rows: [[0x80], [0x40]]), 3),
            (TestPNG(depth: 16, colorType: 0, rows: [[1, 2, 3, 4], [5, 6, 7, 8]]), 3),
            (TestPNG(depth: 8, colorType: 4, rows: [[1, 2, 3, 4], [5, 6, 7, 8]]), 4),
            (
                TestPNG(
                    depth: 16, colorType: 2, rows: [[UInt8]](repeating: [UInt8](repeating: 9, count: 12), count: 2)), 3
            ),
            (
                TestPNG(
                    depth: 16, colorType: 6, rows: [[UInt8]](repeating: [UInt8](repeating: 9, count: 16), count: 2)), 4
            ),
            (TestPNG(depth: 1, colorType: 3, rows: [[0x80], [0x40]], chunks: palette), 3),
            (TestPNG(depth: 8, colorType: 3, rows: [[0, 1], [1, 0]], chunks: palette + [("tRNS", [128])]), 4),
        ]
        for (png, channels) in layouts {
            let picture = try Picture(decoding: edited(png.bytes, .grayscale))
            #expect(picture.channels == channels, "depth \(png.depth), colour type \(png.colorType)")
        }
        let interlaced =
            "iVBORw0KGgoAAAANSUhEUgAAAAQAAAAEAgMAAAGjmEZ7AAAADFBMVEX/AACqAFVVAKoAAP9QAAc5AAAAEUlEQVQI"
            + "12NgAIIFYBzK8B8ACswClX8cX1IAAAAASUVORK5CYII="
        let picture = try Picture(decoding: [UInt8](try #require(Data(base64Encoded: interlaced))))
        #expect(picture.width == 4 && picture.channels == 3)
    }

    @Test func `texts beside a picture are neither read nor carried over`() throws {
        let text: (String, [UInt8]) = ("tEXt", Array("Comment\0secret".utf8))
        let bomb: (String, [UInt8]) = ("zTXt", Array("Comment\0\0".utf8) + [0x78, 0x9C, 0xFF, 0xFF])
        let png = try edited(TestPNG(chunks: [text, bomb]).bytes, nil)
        #expect(png.firstRange(of: Array("secret".utf8)) == nil)
    }

    @Test func `every layout of JPEG is read`() throws {
        for file in [TestJPEG.progressive, TestJPEG.gray, TestJPEG.inks] {
            #expect(try Picture(decoding: edited(file, .sepia)).channels == 3)
        }
    }

    @Test func `a colour profile and the orientation are carried over`() throws {
        let density: (String, [UInt8]) = ("pHYs", [0, 0, 1, 2, 0, 0, 3, 4, 1])
        let png = try edited(TestPNG(chunks: [density]).bytes, .sepia)
        #expect(png.firstRange(of: TestPNG.chunk(density.0, density.1)) != nil)
        let exif: [UInt8] = [0xFF, 0xE1, 0, 10] + Array("Exif\0\0up".utf8)
        let jpeg = try edited(TestJPEG.gray.prefix(2) + exif + TestJPEG.gray.dropFirst(2), .sepia)
        #expect(jpeg.firstRange(of: exif) != nil)
    }

    private func error(_ file: [UInt8]) throws -> String {
        try #require(throws: PictureError.self) { _ = try Picture(decoding: file) }.description
    }

    @Test func `a file that is no picture gives one clear error`() throws {
        #expect(try error([]) == "the picture is empty: the file has no bytes")
        #expect(try error(Array("just some text\n".utf8)) == "the file is neither a PNG nor a JPEG picture")
    }

    /// The test runs in a separate process, because other tests in this process allocate memory at the same time.
    @Test func `a header with a huge size is refused before memory is allocated`() async {
        await #expect(processExitsWith: .success) {
            let tests = PictureTests()
            let before = try tests.residentPages()
            let png = TestPNG(width: 30_000, height: 30_000).bytes
            var jpeg = TestJPEG.gray
            let frame = try #require(jpeg.firstRange(of: [0xFF, 0xC0])).lowerBound
            jpeg.replaceSubrange(frame + 5..<frame + 9, with: [0x75, 0x30, 0x75, 0x30])
            for file in [png, jpeg] {
                let said = try tests.error(file)
                #expect(said == "the picture says it is 30000 x 30000 pixels, which is too large to edit")
            }
            #expect(try tests.residentPages() - before < 4_096)
        }
    }

    private func residentPages() throws -> Int {
        let text = try String(contentsOfFile: "/proc/self/statm", encoding: .ascii)
        return try #require(text.split(separator: " ").dropFirst().first.flatMap { Int($0) })
    }

    @Test func `every picture that is cut gives one clear error`() throws {
        for file in [TestPNG().bytes, TestJPEG.progressive, TestJPEG.gray, TestJPEG.inks] {
            for count in stride(from: 1, to: file.count - 16, by: 1) {
                let text = try error(Array(file.prefix(count)))
                #expect(!text.isEmpty && !text.contains("\n"))
            }
        }
        #expect(try error(Array(TestPNG().bytes.prefix(50))) == "the PNG file ends in the middle")
        #expect(try error(Array(TestJPEG.gray.prefix(100))) == "the JPEG file ends in the middle")
    }

    @Test func `a wrong checksum gives one clear error`() throws {
        var bytes = TestPNG().bytes
        bytes[bytes.count - 14] ^= 1
        #expect(try error(bytes) == "the PNG file is broken: IDAT: CRC error")
    }

    @Test func `a result beyond the limit is an error`() throws {
        #expect(throws: PictureError.self) { _ = try edited(TestPNG().bytes, nil, limit: 10) }
        #expect(throws: PictureError.self) { _ = try edited(TestJPEG.gray, nil, limit: 10) }
    }

    @Test func `changed pictures never crash the decoders`() throws {
        // The same bytes in every run, by a linear congruence.
        struct Sequence: RandomNumberGenerator {
            var state: UInt64 = 1

            mutating func next() -> UInt64 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return state ^ (state >> 33)
            }
        }
        var generator = Sequence()
        let files = [TestPNG().bytes, TestJPEG.progressive, TestJPEG.gray, TestJPEG.inks]
        for _ in 0..<4_000 {
            var file = files[Int.random(in: 0..<files.count, using: &generator)]
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                file[Int.random(in: 0..<file.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            _ = try? Picture(decoding: file)
        }
    }
}
