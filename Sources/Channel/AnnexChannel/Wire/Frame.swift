/// A received frame: header checked, payload copied. Nothing in it lies in shared memory.
struct Frame {
    let kind: FrameKind
    let descriptors: UInt8
    /// A request's caller looks for the answer itself.
    let isAttended: Bool
    let method: UInt16
    let call: UInt64
    /// A request's terms; of other kinds the empty ones.
    let terms: RequestTerms
    /// The sender's bytes, of which nothing is known but their number.
    let payload: [UInt8]
}

/// What stands before a request's payload: how long the caller waits and what the reply may bring.
///
/// Lies in memory as three 64-bit words in the machine's byte order, which is also how it travels.
struct RequestTerms: Sendable, Hashable {
    /// Nanoseconds that the caller still waits; `UInt64.max`: without limit.
    var limit: UInt64 = .max
    /// The most bytes of sealed memory that the reply may hand over, all pieces together.
    var mostBytes: UInt64 = 0
    /// The most pieces.
    var mostPieces: UInt64 = 0

    static let size: UInt32 = 24
}

/// A one-way message.
public struct ChannelEvent: Sendable, Hashable {
    /// What it is about; the caller's own numbering.
    public let method: UInt16
    /// The sender's bytes, copied; of an extension's nothing is known but their number.
    public let payload: [UInt8]

    public init(method: UInt16, payload: [UInt8] = []) {
        self.method = method
        self.payload = payload
    }
}

extension ChannelEvent {
    /// The method of the event by which a host says that the work is over: an extension tidies up and ends.
    public static let goodbye: UInt16 = 2
}

/// What an answer may hand over besides its payload: sealed memory only.
public struct DescriptorAllowance: Sendable, Hashable {
    /// The most pieces; at most 16.
    public var pieces: Int
    /// The most bytes, all pieces together.
    public var bytes: UInt64

    /// Nothing may come.
    public static let none = DescriptorAllowance(pieces: 0, bytes: 0)

    public init(pieces: Int, bytes: UInt64) {
        self.pieces = pieces
        self.bytes = bytes
    }
}

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
