import AnnexModel
import AnnexTestSupport
import Testing

/// The size of a picture is read from its header.
@Suite struct PictureHeaderTests {
    @Test func `PNG and JPEG pictures state their size`() {
        let png = PictureHeader(PictureStart.png(width: 640, height: 480))
        #expect(png?.type == .png && png?.width == 640 && png?.height == 480)
        for frame: UInt8 in [0xC0, 0xC1, 0xC2] {
            let jpeg = PictureHeader(PictureStart.jpeg(width: 640, height: 480, frame: frame))
            #expect(jpeg?.type == .jpeg && jpeg?.width == 640 && jpeg?.height == 480)
        }
    }

    @Test func `a JPEG picture of another form is no picture`() {
        for frame: UInt8 in [0xC3, 0xC5, 0xC9, 0xCF, 0xC4, 0xD9] {
            #expect(PictureHeader(PictureStart.jpeg(width: 1, height: 1, frame: frame)) == nil)
        }
    }

    @Test func `a JPEG picture with two sizes is no picture`() {
        let small = PictureStart.jpeg(width: 1, height: 1)
        let large = PictureStart.jpeg(width: 9_999, height: 9_999)
        #expect(PictureHeader(Array(small.dropLast(4) + large.dropFirst(2))) == nil)
    }

    @Test func `pictures without a side or cut anywhere are no pictures`() {
        #expect(PictureHeader(PictureStart.png(width: 0, height: 1)) == nil)
        #expect(PictureHeader(PictureStart.jpeg(width: 1, height: 0)) == nil)
        let jpeg = PictureStart.jpeg(width: 1, height: 1)
        for count in jpeg.indices { #expect(PictureHeader(Array(jpeg.prefix(count))) == nil) }
        #expect(PictureHeader([0xFF, 0xD8] + [UInt8](repeating: 0xFF, count: 10_000)) == nil)
    }
}
