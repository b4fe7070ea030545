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
