/// What stands at the head of a message that comes in pieces: the payload of its first frame, before a request's terms.
///
/// In memory: length u32, kind u32, in the machine's byte order. Method, call and descriptors are the frame's own.
struct LargeHeader: Sendable, Hashable {
    /// What the whole is.
    let kind: FrameKind
    /// Bytes of all pieces together.
    let length: UInt32

    static let size = 8

    func encoded(_ terms: RequestTerms?) -> [UInt8] {
        let head = WireBytes.bytes(length) + WireBytes.bytes(UInt32(kind.rawValue))
        guard let terms else { return head }
        return head + WireBytes.bytes(terms.limit) + WireBytes.bytes(terms.mostBytes)
            + WireBytes.bytes(terms.mostPieces)
    }
}
