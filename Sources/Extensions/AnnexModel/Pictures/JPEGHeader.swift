/// The frame header of a JPEG file, which states the picture's size. The picture itself is not decoded.
package struct JPEGHeader: Hashable {
    /// The width in pixels.
    package let width: Int
    package let height: Int

    /// Reads the header. The bytes must be a JPEG file with one frame, in a form that ordinary decoders read.
    /// Otherwise the result is nil.
    ///
    /// The segments are read up to the first scan. A file with two frame headers is refused. Otherwise one reader
    /// could check the first size, while another reader uses the second size.
    package init?(_ bytes: [UInt8]) {
        guard bytes.starts(with: [0xFF, 0xD8]) else { return nil }
        let file = BigEndianFile(bytes)
        var frame: (width: Int, height: Int)?
        var next = Segment(in: file, at: 2)
        while let segment = next, segment.marker != Segment.scan {
            if segment.isFrame {
                guard frame == nil, let found = segment.size(in: file) else { return nil }
                frame = found
            }
            next = Segment(in: file, at: segment.end)
        }
        guard next != nil, let frame else { return nil }
        (width, height) = frame
    }

    private struct Segment {
        static let scan = 0xDA

        let marker: Int
        let start: Int
        let end: Int

        /// The segment at this place; nil if no complete segment begins there.
        init?(in file: BigEndianFile, at place: Int) {
            var place = place
            guard file.number(at: place, size: 1) == 0xFF else { return nil }
            // Any number of fill bytes may stand before a marker.
            while file.number(at: place + 1, size: 1) == 0xFF { place += 1 }
            guard let marker = file.number(at: place + 1, size: 1), let length = file.number(at: place + 2, size: 2),
                marker >= 0xC0, !(0xD0...0xD9).contains(marker), length >= 2, place + 2 + length <= file.count
            else { return nil }
            self.marker = marker
            start = place + 4
            end = place + 2 + length
        }

        /// Whether the segment is a frame header of any form. The markers of frame headers are in the range C0…CF,
        /// except three markers for tables and an extension.
        var isFrame: Bool { (0xC0...0xCF).contains(marker) && ![0xC4, 0xC8, 0xCC].contains(marker) }

        /// The size of the picture; nil unless the form is baseline, extended or progressive.
        func size(in file: BigEndianFile) -> (width: Int, height: Int)? {
            guard marker <= 0xC2, end - start >= 6, let height = file.number(at: start + 1, size: 2),
                let width = file.number(at: start + 3, size: 2)
            else { return nil }
            return (width, height)
        }
    }
}
