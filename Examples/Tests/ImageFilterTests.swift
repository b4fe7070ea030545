import Foundation
import ImageFilters
import Testing

/// The filters that the example app and its extension share.
@Suite(.timeLimit(.minutes(20))) struct ImageFilterTests {
    private static let curves = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Filters/Filters.app")

    private func read(curves text: String) -> ImageFilter? { ImageFilter(curves: Array(text.utf8)) }

    private func read(header: String, samples: [UInt8]) -> Pixmap? { Pixmap(Array(header.utf8) + samples) }

    @Test(arguments: ImageFilter.names) func `the app carries the curves of each filter`(name: String) throws {
        let file = ImageFilter.file(named: name, in: Self.curves.appending(path: "Frameworks").path)
        #expect(ImageFilter(curves: Array(try Data(contentsOf: URL(filePath: file)))) != nil)
    }

    @Test func `a curve is straight between its points`() throws {
        let filter = try #require(
            read(curves: "# a comment\nred 0:0 100:200 255:200\ngreen 0:255 255:0\nblue 0:7 255:7"))
        var picture = try #require(read(header: "P6\n2 1\n255\n", samples: [50, 10, 0, 101, 255, 255]))
        filter.apply(to: &picture)
        #expect(picture.samples == [100, 245, 7, 200, 0, 7])
        #expect(filter.bars.count == 8)
    }

    @Test(arguments: [
        "", "red 0:0 255:255", "red 0:0 255:255\ngreen 0:0 255:255\nred 0:0 255:255",
        "red 0:0\ngreen 0:0 255:1\nblue 0:0 255:1", "red 1:0 255:1\ngreen 0:0 255:1\nblue 0:0 255:1",
        "red 0:0 9:1 9:2 255:1\ngreen 0:0 255:1\nblue 0:0 255:1", "red 0:0 255:256\ngreen 0:0 255:1\nblue 0:0 255:1",
        "red 0:0 255\ngreen 0:0 255:1\nblue 0:0 255:1", "red 0:0 255:1\ngreen 0:0 255:1\ngrey 0:0 255:1",
    ])
    func `what is not one curve for each colour is no filter`(text: String) {
        #expect(read(curves: text) == nil)
    }

    @Test func `a pixmap is read and written`() throws {
        let picture = try #require(read(header: "P6 2\t1\n255\n", samples: [1, 2, 3, 4, 5, 6]))
        #expect(picture.width == 2 && picture.height == 1)
        #expect(Pixmap(picture.file) == picture)
    }

    @Test(arguments: [
        "", "P6", "P6\n", "P5\n1 1\n255\n", "P6\n1 1\n65535\n", "P6\n0 1\n255\n", "P6\n2 1\n255\n",
        "P6\n99999 99999\n255\n",
        "P6\n1 1\n255", "P61 1\n255\n", "P6\n-1 1\n255\n", "P6\n1 1 255 1", "P6          1 1\n255\n",
        "P6\n999999999999 1\n255\n",
    ])
    func `what is no whole pixmap is refused`(header: String) {
        #expect(read(header: header, samples: header.count < 3 ? [] : [1, 2, 3]) == nil)
        #expect(read(header: header, samples: []) == nil)
    }
}
