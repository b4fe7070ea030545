/// A received frame with a checked header and a copied payload. No part of the frame lies in shared memory.
struct Frame {
    let kind: FrameKind
    let descriptors: UInt8
    /// Whether the caller of this request reads the ring itself to get the answer.
    let isAttended: Bool
    let method: UInt16
    let call: UInt64
    /// A request's terms; the default terms for other kinds.
    let terms: RequestTerms
    /// The sender's bytes. Only the number of bytes is checked.
    let payload: [UInt8]
}

/// The terms before a request's payload: how long the caller waits, and which descriptors the reply may carry.
///
/// In memory and on the wire these are three 64-bit words in the machine's byte order.
struct RequestTerms: Sendable, Hashable {
    /// Nanoseconds that the caller still waits; `UInt64.max`: no limit.
    var limit: UInt64 = .max
    /// The most bytes of sealed memory that the reply may hand over, as the sum of all pieces.
    var mostBytes: UInt64 = 0
    /// The most pieces of sealed memory.
    var mostPieces: UInt64 = 0

    static let size: UInt32 = 24
}

/// A one-way message.
public struct ChannelEvent: Sendable, Hashable {
    /// The kind of message, in the sender's numbering.
    public let method: UInt16
    /// A copy of the sender's bytes. If an extension sent the bytes, only the number of bytes is checked.
    public let payload: [UInt8]

    public init(method: UInt16, payload: [UInt8] = []) {
        self.method = method
        self.payload = payload
    }
}

extension ChannelEvent {
    /// The method of the event with which a host announces the end of the session. After this event, the extension
    /// should clean up and exit.
    public static let goodbye: UInt16 = 2
    /// From the host: the extension uses most of its memory limit.
    package static let memoryWarning: UInt16 = 0xFFF0
    /// From the host: most of the extension's grace period has passed.
    package static let endIsNear: UInt16 = 0xFFF1

    /// The host's events about the extension's life. An extension notices these events even while it works.
    static let lifeEvents: Set = [memoryWarning, endIsNear]
}

/// The sealed memory that an answer may hand over in addition to its payload. An answer may hand over no other kind
/// of descriptor.
public struct DescriptorAllowance: Sendable, Hashable {
    /// The most pieces of sealed memory; at most 16.
    public var pieces: Int
    /// The most bytes, as the sum of all pieces.
    public var bytes: UInt64

    /// No sealed memory is accepted.
    public static let none = DescriptorAllowance(pieces: 0, bytes: 0)

    public init(pieces: Int, bytes: UInt64) {
        self.pieces = pieces
        self.bytes = bytes
    }
}

/// The head of a message that is sent in several pieces. These pieces are parts of the message, and not pieces of
/// sealed memory. The head is at the start of the first frame's payload, before a request's terms.
///
/// In shared memory, the head is two 32-bit numbers in the machine's byte order: `length`, then `kind`. Method, call
/// and descriptors are in the frame's header.
struct LargeHeader: Sendable, Hashable {
    /// The kind of the whole message.
    let kind: FrameKind
    /// The sum of the bytes of all pieces of the message.
    let length: UInt32

    static let size = 8

    func encoded(_ terms: RequestTerms?) -> [UInt8] {
        let head = WireBytes.bytes(length) + WireBytes.bytes(UInt32(kind.rawValue))
        guard let terms else { return head }
        return head + WireBytes.bytes(terms.limit) + WireBytes.bytes(terms.mostBytes)
            + WireBytes.bytes(terms.mostPieces)
    }
}
