/// Constants that both ends must agree on. `Docs/Design/Channel.md` describes the format.
enum WireFormat {
    /// "ANXC" in ASCII, the first word of the host's region and of a hello.
    static let magic: UInt32 = 0x4358_4E41
    /// The version increases with every change of layout or meaning. Two ends with different versions reject each
    /// other.
    static let version: UInt32 = 2

    /// Frames start at multiples of this number of bytes, the size of a cache line. So all positions are multiples of
    /// this number.
    static let alignment: UInt32 = 64
    static let headerSize: UInt32 = 16

    static let smallestCapacity: UInt32 = 4096
    static let largestCapacity: UInt32 = 1 << 28

    /// The bytes of one place in an arena, and of each piece of a message except the last. A piece of this size stays
    /// in a core's own cache while it is copied into and out of the arena.
    static let pieceSize: UInt32 = 1 << pieceShift
    static let pieceShift: UInt32 = 16
    /// The most places that an arena can have.
    static let mostPlaces: UInt32 = 64

    /// A doorbell's bytes on the control socket.
    static let doorbell: [UInt8] = [1]

    /// The largest payload of a frame. Once a reader has read everything, the ring always has room for a frame of this
    /// size.
    @inline(__always) static func largestPayload(capacity: UInt32) -> UInt32 {
        capacity / 2
    }

    /// The bytes of a frame with this payload in a ring. The payload is at most half a ring, so nothing overflows.
    @inline(__always) static func frameSize(payload: UInt32) -> UInt32 {
        (headerSize &+ payload &+ (alignment &- 1)) & ~(alignment &- 1)
    }

    /// How many bytes a reader reads before it publishes its position. So at most a quarter of the ring has been read
    /// but not yet published. Once the reader has read everything, the writer sees at least three quarters of the
    /// ring free. These three quarters are more than the largest frame and the cache line after it.
    static func step(capacity: UInt32) -> UInt32 {
        min(capacity / 4, 2048)
    }

    /// The position of the next frame after a frame that ends at `position`. If the ending frame has the mark `turn`,
    /// the next frame lies at the ring's start.
    @inline(__always) static func next(after position: UInt32, turns: Bool, capacity: UInt32) -> UInt32 {
        turns ? (position &+ (capacity &- 1)) & ~(capacity &- 1) : position
    }
}

/// The first message of an extension. It states that the extension runs, is sandboxed, and uses this wire version.
public struct Hello: Sendable, Hashable {
    /// The features that the extension claims, in the lower 32 bits. Host and extension agree on the meaning of these
    /// features.
    public var features: UInt64 { said & WireFeatures.usersBits }

    /// The wire features of the extension's library. Unknown bits are ignored.
    var wire: WireFeatures { WireFeatures(rawValue: said) }

    private let said: UInt64

    /// - Parameter said: the features that host and extension define themselves, in the lower half, and the wire
    ///   features, in the upper half.
    init(said: UInt64) {
        self.said = said
    }

    /// The payload's size on the wire: magic u32, version u32, features u64.
    static let size = 16

    func encoded() -> [UInt8] {
        WireBytes.bytes(WireFormat.magic) + WireBytes.bytes(WireFormat.version) + WireBytes.bytes(said)
    }
}

/// Optional features of one end of the channel, besides calls and events. An extension states them in the upper half of
/// its hello's features, and the host states them in its region. An end uses the features that both ends have, and
/// ignores unknown bits.
struct WireFeatures: OptionSet, Sendable, Hashable {
    let rawValue: UInt64

    /// Calls from the extension to the host.
    static let hostedCalls = WireFeatures(rawValue: 1 << 32)
    static let streams = WireFeatures(rawValue: 1 << 33)
    /// Messages in pieces, which are copied through arenas.
    static let pieces = WireFeatures(rawValue: 1 << 34)
    /// Frames that use the place of the previous frame: `PlaceMarks`.
    static let staying = WireFeatures(rawValue: 1 << 35)

    /// The host rings the extension's bell: `ReceiverState.asleepOnBell`.
    static let bells = WireFeatures(rawValue: 1 << 36)

    /// The extension supports `ReceiverState.wantsEveryDoorbell`.
    static let everyDoorbell = WireFeatures(rawValue: 1 << 37)

    /// The features of this version.
    static let own: WireFeatures = [.hostedCalls, .streams, .pieces, .staying, .bells, .everyDoorbell]
    /// The bits of the features that host and extension define themselves (`Hello.features`).
    static let usersBits: UInt64 = 0xFFFF_FFFF
}
