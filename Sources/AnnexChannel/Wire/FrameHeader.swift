/// The 16 bytes before each payload, as this side writes them.
///
/// In memory: `length` u32, `kind` u8, `descriptors` u8, `method` u16, `call` u64, in the machine's byte order.
struct FrameHeader: Sendable {
    var kind: FrameKind
    /// How many descriptors went ahead through the control socket.
    var descriptors: UInt8 = 0
    /// What is asked; the caller's own numbering. A reply repeats its request's.
    var method: UInt16 = 0
    /// Whose answer this is; 0 where nobody answers.
    var call: UInt64 = 0

    /// The header's first word with the payload's length.
    func firstWord(length: UInt32) -> UInt64 {
        UInt64(length) | UInt64(kind.rawValue) << 32 | UInt64(descriptors) << 40 | UInt64(method) << 48
    }
}
