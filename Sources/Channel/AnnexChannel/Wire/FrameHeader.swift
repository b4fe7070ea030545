/// The 16 bytes before each payload, as this side writes them.
///
/// In memory: `kind` u8, `descriptors` and `marks` u8, `method` u16, `length` u32, `call` u64, in the machine's byte
/// order. The first eight bytes are stored last: no kind is 0, so a frame is there as soon as they are not 0.
struct FrameHeader: Sendable {
    var kind: FrameKind
    /// How many descriptors went ahead through the control socket, at most 16.
    var descriptors: UInt8 = 0
    var marks: FrameMarks = []
    /// What is asked; the caller's own numbering. A reply repeats its request's.
    var method: UInt16 = 0
    /// Whose answer this is; 0 where nobody answers.
    var call: UInt64 = 0

    /// The header's first word without the payload's length.
    @inline(__always) var plainWord: UInt64 { firstWord(length: 0, turns: false) }

    /// The header's first word with the payload's length.
    @inline(__always) func firstWord(length: UInt32, turns: Bool) -> UInt64 {
        let marks = turns ? marks.union(.turn) : marks
        return UInt64(kind.rawValue) | UInt64(descriptors | marks.rawValue) << 8 | UInt64(method) << 16
            | UInt64(length) << 32
    }
}
