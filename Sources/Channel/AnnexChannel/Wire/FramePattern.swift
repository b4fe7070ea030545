/// Which bits of a header's first four bytes must be which: what most frames are like is told by one comparison.
struct FramePattern {
    let mask: UInt32
    let bits: UInt32

    /// An answer, without descriptors, to a request for this method.
    @inline(__always) static func reply(to method: UInt16) -> FramePattern {
        FramePattern(
            mask: ~(FramePattern.marks(.turn) | FramePattern.place),
            bits: UInt32(FrameKind.reply.rawValue) | UInt32(method) << 16)
    }

    /// A request of bare bytes for any method.
    static var bareRequest: FramePattern {
        @inline(__always) get {
            let free = FramePattern.marks([.turn, .attended]) | FramePattern.place | 0xFFFF_0000
            return FramePattern(
                mask: ~free, bits: UInt32(FrameKind.request.rawValue) | FramePattern.marks(.bare))
        }
    }

    @inline(__always) private static var place: UInt32 { UInt32(PlaceMarks.all.rawValue) }

    @inline(__always) private static func marks(_ marks: FrameMarks) -> UInt32 { UInt32(marks.rawValue) << 8 }
}
