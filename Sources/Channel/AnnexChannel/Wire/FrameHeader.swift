/// The 16 bytes before each payload, as this side writes them.
///
/// In memory: `kind` u8, `descriptors` and `marks` u8, `method` u16, `length` u32, `call` u64, in the machine's byte
/// order. The first eight bytes are stored last. No kind is 0, so a frame is published as soon as these bytes are not
/// 0.
struct FrameHeader: Sendable {
    var kind: FrameKind
    /// How many descriptors were sent through the control socket before this frame; at most 16.
    var descriptors: UInt8 = 0
    var marks: FrameMarks = []
    /// The method that is called, in the caller's numbering. A reply repeats the method of its request.
    var method: UInt16 = 0
    /// The call that the frame belongs to; 0 for frames without a call.
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

/// The kind of a frame.
package enum FrameKind: UInt8, Sendable {
    /// From the extension: its first frame, which it sends only once.
    case hello = 1
    /// From either side: a request, which gets one answer.
    case request = 2
    /// The answer to a request.
    case reply = 3
    /// A failure instead of an answer; its payload is a code and a text.
    case failure = 4
    /// From either side: the caller no longer waits for the answer.
    case cancel = 5
    /// From either side: a one-way message.
    case event = 6
    /// From the host: a ping, which the extension answers with a pong.
    case ping = 7
    /// From the extension: the answer to a ping.
    case pong = 8
    /// From either side: opens a stream.
    case open = 9
    /// From either side: a message of a stream.
    case data = 10
    /// From either side: allows the other side to send more on a stream.
    case credit = 11
    /// From either side: this side sends no more messages on a stream.
    case finish = 12
    /// From either side: ends a stream in both directions.
    case reset = 13
    /// From either side: begins a message that is too large for a frame; its bytes follow in pieces.
    case large = 14
    /// From either side: the next bytes of the current large message lie in the writer's arena.
    case piece = 15
}

/// Marks in the second byte of a header. The lower five bits of this byte are the number of descriptors.
struct FrameMarks: OptionSet, Sendable, Hashable {
    let rawValue: UInt8

    /// The caller of the request reads the ring until it gets the answer or gives up, so the answer needs no doorbell.
    static let attended = FrameMarks(rawValue: 1 << 5)
    /// The request has no terms. So it has no time limit, and its answer may not carry descriptors.
    static let bare = FrameMarks(rawValue: 1 << 6)
    /// The next frame lies at the ring's start.
    static let turn = FrameMarks(rawValue: 1 << 7)

    /// The bits that hold the number of descriptors.
    static let descriptors: UInt8 = 0x1F
}

/// Marks in the first byte of a header. The lower bits of this byte are the kind. If the reader is certain to take a
/// frame before the writer writes the next frame, the next frame can use the same place. The two cores then pass the
/// same cache lines to each other.
struct PlaceMarks: OptionSet, Sendable, Hashable {
    let rawValue: UInt8

    /// This mark differs between two consecutive frames in the same place.
    static let lap = PlaceMarks(rawValue: 1 << 6)
    /// The next frame lies in this frame's place. The writer can take the mark back by storing the first word again
    /// without the mark. The next frame then lies after this frame, as usual.
    static let stays = PlaceMarks(rawValue: 1 << 7)

    /// All bits of the first byte that are not part of the kind.
    static let all: PlaceMarks = [.lap, .stays]

    /// The marks, shifted to their bits in a header's first word.
    @inline(__always) var word: UInt64 { UInt64(truncatingIfNeeded: rawValue) }
}

/// A pattern for a header's first four bytes: the bits to compare and their values. One comparison recognises most
/// frames.
struct FramePattern {
    let mask: UInt32
    let bits: UInt32

    /// A reply without descriptors to a request with this method.
    @inline(__always) static func reply(to method: UInt16) -> FramePattern {
        FramePattern(
            mask: ~(FramePattern.marks(.turn) | FramePattern.place),
            bits: UInt32(FrameKind.reply.rawValue) | UInt32(method) << 16)
    }

    /// A request without terms, for any method.
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
