internal import AnnexLinux
internal import Glibc

/// The offsets of the words in a memory region. If one side writes a word while its peer polls the word, the word has
/// its own pair of cache lines. A pair is 128 bytes; processors fetch lines in pairs. So a store to another word does
/// not take the polled line away from the peer's core. The words that change only when a side goes to sleep or to
/// another core share one pair.
enum RegionLayout {
    /// The host writes this word and the words up to `largestMessage` into its own region before any other process has
    /// the region.
    static let magic = 0
    static let version = 4
    static let hostCapacity = 8
    static let extensionCapacity = 12
    /// `WireFeatures` of the host, 64 bits.
    static let features = 16
    /// The sizes of the arenas of host and extension, in bytes. Each arena lies after its region's ring.
    static let hostArena = 24
    static let extensionArena = 28
    /// The most bytes of an answer that the host accepts.
    static let largestMessage = 32

    /// How many bytes the region's writer has read from the other ring, modulo 2^32, as last published.
    static let consumed = 128
    /// The `ReceiverState` of the region's writer.
    static let receiver = 256
    /// This word is not 0 while the region's writer sleeps because its peer has not made room.
    static let sender = 260
    /// The core on which the region's writer last waited, counted from 1; 0 if the core is unknown. The value is only a
    /// hint.
    static let processor = 264

    /// In the extension's region: the word on which the extension sleeps, if both sides support bells. In the
    /// extension's region, the host writes only this word.
    static let bell = 384
    /// In the extension's region: the word that the broker changes before it rings the bell. The portal, a socket
    /// between extension and broker, then has a message for the extension.
    static let portal = 388

    /// The ring's first byte.
    static let ring = 4096

    static func size(capacity: UInt32, arena: UInt32 = 0) -> Int {
        ring + Int(capacity) + Int(arena)
    }
}

extension RegionLayout {
    /// The contents of a host's region description.
    struct Description {
        let host: (capacity: UInt32, arena: UInt32)
        let `extension`: (capacity: UInt32, arena: UInt32)
        let largestMessage: UInt32
        var features = WireFeatures.own
    }

    /// Whether an arena may have this size.
    static func isArena(_ size: UInt32) -> Bool {
        size & (WireFormat.pieceSize &- 1) == 0 && size <= WireFormat.mostPlaces &* WireFormat.pieceSize
    }

    /// Reads the host's description of both rings and arenas, and checks it against the region's size.
    static func description(_ region: borrowing Mapping, size: Int64) throws(SystemError) -> Description {
        guard size >= Int64(ring) else { throw notARegion }
        let start = unsafe region.start
        // SAFETY: the mapping holds at least the first page, and the words were written before any other process had
        // the region.
        func word(_ offset: Int) -> UInt32 { unsafe start.load(fromByteOffset: offset, as: UInt32.self) }
        let (host, arena) = (word(hostCapacity), word(hostArena))
        let (other, otherArena) = (word(extensionCapacity), word(extensionArena))
        guard word(magic) == WireFormat.magic, word(version) == WireFormat.version, host.nonzeroBitCount == 1,
            other.nonzeroBitCount == 1, isArena(arena), isArena(otherArena),
            Int64(Self.size(capacity: host, arena: arena)) == size
        else { throw notARegion }
        // SAFETY: the same holds as for `word`.
        let features = unsafe start.load(fromByteOffset: features, as: UInt64.self)
        return Description(
            host: (host, arena), extension: (other, otherArena), largestMessage: word(largestMessage),
            features: WireFeatures(rawValue: features))
    }

    private static var notARegion: SystemError {
        SystemError(
            "channel region", errno: EINVAL, remedy: "build host and extension with the same wire version")
    }
}

/// The state of a receiver, which the receiver stores in its own region.
///
/// The lower two bits are the state. If the receiver asks for a doorbell, the upper bits count how often it asked. So a
/// sender rings once for each time that the receiver asks.
enum ReceiverState {
    static let awake: UInt32 = 0
    /// The receiver sleeps on the header that the sender writes next.
    static let asleep: UInt32 = 1
    /// The receiver sleeps on the bell in its own region. Only an extension does this, and only if its host supports
    /// bells.
    static let asleepOnBell: UInt32 = 3

    /// The receiver sleeps in epoll and asks for a byte on the control socket.
    static func wantsDoorbell(_ turn: UInt32) -> UInt32 {
        turn << 2 | 2
    }

    /// The receiver also asks for a doorbell for answers to attended calls, because a task that made an attended call
    /// has suspended.
    static func wantsEveryDoorbell(_ turn: UInt32) -> UInt32 {
        turn << 2 | 3
    }

    static func isAsleep(_ state: UInt32) -> Bool {
        state | 2 == asleepOnBell
    }

    /// Whether the state asks for a doorbell.
    /// - Parameter isAttended: whether the frame is an answer to an attended call.
    static func isDoorbell(_ state: UInt32, isAttended: Bool = false) -> Bool {
        state & 3 == 2 ? !isAttended : state & 3 == 3 && state != asleepOnBell
    }
}
