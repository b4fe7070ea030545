/// Numbers that both ends must agree on. `Docs/Design/Channel.md` says the same in words.
enum WireFormat {
    /// "ANXC", the first word of the host's region and of a hello.
    static let magic: UInt32 = 0x4358_4E41
    /// Raised with every change of layout or meaning; ends of different versions refuse each other.
    static let version: UInt32 = 2

    /// Frames start at multiples of this many bytes, a cache line, and positions count in such steps.
    static let alignment: UInt32 = 64
    static let headerSize: UInt32 = 16

    static let smallestCapacity: UInt32 = 4096
    static let largestCapacity: UInt32 = 1 << 28

    /// Bytes of one place in an arena, and of each piece of a message but its last: as much as stays in a core's own
    /// cache while it is copied in and out.
    static let pieceSize: UInt32 = 1 << pieceShift
    static let pieceShift: UInt32 = 16
    /// The most places of an arena.
    static let mostPlaces: UInt32 = 64

    /// A doorbell's bytes on the control socket.
    static let doorbell: [UInt8] = [1]

    /// The largest payload that a ring takes: a reader that has taken everything always has left room for one.
    @inline(__always) static func largestPayload(capacity: UInt32) -> UInt32 {
        capacity / 2
    }

    /// What a frame of this payload takes in a ring. The payload is at most half a ring, so nothing overflows.
    @inline(__always) static func frameSize(payload: UInt32) -> UInt32 {
        (headerSize &+ payload &+ (alignment &- 1)) & ~(alignment &- 1)
    }

    /// How much a reader takes before it says so. With what it has not said, at most a quarter of the ring, a writer
    /// still sees three quarters free: more than the largest frame and the line behind it.
    static func step(capacity: UInt32) -> UInt32 {
        min(capacity / 4, 2048)
    }

    /// Where the frame behind one that ends at `position` lies: at the ring's start, where the frame says so.
    @inline(__always) static func next(after position: UInt32, turns: Bool, capacity: UInt32) -> UInt32 {
        turns ? (position &+ (capacity &- 1)) & ~(capacity &- 1) : position
    }
}
