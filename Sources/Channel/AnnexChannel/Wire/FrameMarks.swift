/// What the second byte of a header says besides the number of descriptors in its lower five bits.
struct FrameMarks: OptionSet, Sendable, Hashable {
    let rawValue: UInt8

    /// A request whose caller looks for the answer itself until it gives up: no doorbell is needed.
    static let attended = FrameMarks(rawValue: 1 << 5)
    /// A request without terms: no limit of time, and nothing may be handed over.
    static let bare = FrameMarks(rawValue: 1 << 6)
    /// The next frame lies at the ring's start.
    static let turn = FrameMarks(rawValue: 1 << 7)

    /// The bits that count descriptors.
    static let descriptors: UInt8 = 0x1F
}
