internal import AnnexLinux
internal import Glibc

/// Where the words of a region lie. What one side writes while the other polls has a pair of lines of its own, so that
/// ends on two cores do not take each other's cache lines (128 bytes: processors fetch lines in pairs). The words that
/// only change when a side goes to sleep or to another core share one.
enum RegionLayout {
    /// Written by the host into its own region before anybody else sees it.
    static let magic = 0
    static let version = 4
    static let hostCapacity = 8
    static let extensionCapacity = 12
    /// `WireFeatures` of the host, 64 bits.
    static let features = 16
    /// Bytes of the host's arena, which lies behind its ring, and of the extension's.
    static let hostArena = 24
    static let extensionArena = 28
    /// The most bytes of an answer that the host takes.
    static let largestMessage = 32

    /// How many bytes the region's writer has taken out of the other ring, modulo 2^32, as far as it has said so.
    static let consumed = 128
    /// `ReceiverState` of the region's writer.
    static let receiver = 256
    /// Not 0 while the region's writer sleeps because the other side has not made room.
    static let sender = 260
    /// The core that the region's writer last waited on, counted from 1; 0: not said. A hint.
    static let processor = 264

    /// In the extension's region: what it sleeps on, where both know bells. The one word there that the host writes.
    static let bell = 384

    /// The ring's first byte.
    static let ring = 4096

    static func size(capacity: UInt32, arena: UInt32 = 0) -> Int {
        ring + Int(capacity) + Int(arena)
    }
}

extension RegionLayout {
    /// What a host's region says.
    struct Description {
        let host: (capacity: UInt32, arena: UInt32)
        let `extension`: (capacity: UInt32, arena: UInt32)
        let largestMessage: UInt32
        var features = WireFeatures.own
    }

    /// Whether so many bytes are an arena's.
    static func isArena(_ size: UInt32) -> Bool {
        size & (WireFormat.pieceSize &- 1) == 0 && size <= WireFormat.mostPlaces &* WireFormat.pieceSize
    }

    /// What the host's region says about both rings and arenas, held against its own size.
    static func description(_ region: borrowing Mapping, size: Int64) throws(SystemError) -> Description {
        guard size >= Int64(ring) else { throw notARegion }
        let start = unsafe region.start
        // SAFETY: the mapping holds at least the first page, and the words were written before anybody had it.
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
            "channel region", errno: EINVAL, remedy: "host and extension must be built with the same wire version")
    }
}

/// What a receiver says about itself in its own region.
///
/// The low two bits are the state; a doorbell's upper bits count how often it was asked for, so that a sender rings
/// once for each time.
enum ReceiverState {
    static let awake: UInt32 = 0
    /// Sleeps on the header that the sender writes next.
    static let asleep: UInt32 = 1
    /// Sleeps on the bell in its own region; an extension only, whose host knows bells.
    static let asleepOnBell: UInt32 = 3

    /// Sleeps in epoll and wants a byte on the control socket.
    static func wantsDoorbell(_ turn: UInt32) -> UInt32 {
        turn << 2 | 2
    }

    /// The same, and also for an answer whose caller had said that it looks by itself: a task that has suspended since.
    static func wantsEveryDoorbell(_ turn: UInt32) -> UInt32 {
        turn << 2 | 3
    }

    static func isAsleep(_ state: UInt32) -> Bool {
        state | 2 == asleepOnBell
    }

    /// Whether it asks for a doorbell, also for an answer to a caller that looks by itself.
    static func isDoorbell(_ state: UInt32, isAttended: Bool = false) -> Bool {
        state & 3 == 2 ? !isAttended : state & 3 == 3 && state != asleepOnBell
    }
}
