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

/// What a frame is.
package enum FrameKind: UInt8, Sendable {
    /// Extension to host, once, first.
    case hello = 1
    /// Either way; answered once.
    case request = 2
    /// The answer.
    case reply = 3
    /// The answer that there is none: a code and a text.
    case failure = 4
    /// Either way: nobody waits for the answer any more.
    case cancel = 5
    /// Either way, answered by nothing.
    case event = 6
    /// Host to extension: are you there?
    case ping = 7
    /// Extension to host: yes.
    case pong = 8
    /// Either way: begins a stream.
    case open = 9
    /// Either way: a message of a stream.
    case data = 10
    /// Either way: more messages of the other side have room.
    case credit = 11
    /// Either way: no more messages follow from this side.
    case finish = 12
    /// Either way: the stream is let go of.
    case reset = 13
    /// Either way: a message that is too large for a frame begins; its bytes follow in pieces.
    case large = 14
    /// Either way: the next bytes of the message that has begun lie in the writer's arena.
    case piece = 15
}

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
