/// What the first byte of a header says besides the kind in its lower bits: a frame that is sure to be taken before the
/// next is written leaves its place to it, so that two cores pass the same lines to and fro.
struct PlaceMarks: OptionSet, Sendable, Hashable {
    let rawValue: UInt8

    /// Differs from that of the frame that stayed here before.
    static let lap = PlaceMarks(rawValue: 1 << 6)
    /// The next frame lies where this one does. Taken back by storing the first word again without it: then the next
    /// lies behind this one, as always.
    static let stays = PlaceMarks(rawValue: 1 << 7)

    /// Every bit of the first byte that is not the kind's.
    static let all: PlaceMarks = [.lap, .stays]

    /// Where the bits lie in a header's first word.
    @inline(__always) var word: UInt64 { UInt64(truncatingIfNeeded: rawValue) }
}
