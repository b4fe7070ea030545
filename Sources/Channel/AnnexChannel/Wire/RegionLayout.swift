internal import AnnexLinux
internal import Glibc

/// The offsets of the words in a memory region. Each word that one side writes while the other polls has a pair of
/// cache lines of its own (128 bytes, because processors fetch lines in pairs). So two sides on two cores do not take
/// each other's lines. The words that change only when a side goes to sleep or to another core share one pair.
enum RegionLayout {
    /// Written by the host into its own region before any other process has it.
    static let magic = 0
    static let version = 4
    static let hostCapacity = 8
    static let extensionCapacity = 12
    /// `WireFeatures` of the host, 64 bits.
    static let features = 16
    /// Bytes of the arenas of host and extension. Each arena lies after its region's ring.
    static let hostArena = 24
    static let extensionArena = 28
    /// The most bytes of an answer that the host accepts.
    static let largestMessage = 32

    /// How many bytes the region's writer has read from the other ring, modulo 2^32, as last published.
    static let consumed = 128
    /// The `ReceiverState` of the region's writer.
    static let receiver = 256
    /// Not 0 while the region's writer sleeps because its peer has not made room.
    static let sender = 260
    /// The core on which the region's writer last waited, counted from 1; 0: unknown. It is only a hint.
    static let processor = 264

    /// In the extension's region: the word on which the extension sleeps, if both sides support bells. It is the only
    /// word in that region that the host writes.
    static let bell = 384
    /// In the extension's region: the word that the broker changes before it rings the bell. The portal then has a message
    /// for the extension.
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
        // SAFETY: as above.
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

/// The state of a receiver, in its own region.
///
/// The lower two bits are the state. If it asks for a doorbell, the upper bits count how often it asked, so that a
/// sender rings once each time.
enum ReceiverState {
    static let awake: UInt32 = 0
    /// Sleeps on the header that the sender writes next.
    static let asleep: UInt32 = 1
    /// Sleeps on the bell in its own region. Only an extension does this, and only if its host supports bells.
    static let asleepOnBell: UInt32 = 3

    /// Sleeps in epoll and asks for a byte on the control socket.
    static func wantsDoorbell(_ turn: UInt32) -> UInt32 {
        turn << 2 | 2
    }

    /// Also asks for a doorbell for answers to attended calls, because a task that made such a call has suspended.
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
