/// Where the words of a region lie. Each has a line of its own, so that ends on two cores do not take each other's
/// cache lines (128 bytes: processors fetch lines in pairs).
enum RegionLayout {
    /// Written by the host into its own region before anybody else sees it.
    static let magic = 0
    static let version = 4
    static let hostCapacity = 8
    static let extensionCapacity = 12
    /// `WireFeatures` of the host, 64 bits.
    static let features = 16

    /// How many bytes the region's writer has ever put into its ring, modulo 2^32.
    static let produced = 128
    /// How many bytes the region's writer has ever taken out of the other ring, modulo 2^32.
    static let consumed = 256
    /// `ReceiverState` of the region's writer.
    static let receiver = 384
    /// Not 0 while the region's writer sleeps because the other side has not made room.
    static let sender = 512

    /// The ring's first byte.
    static let ring = 4096

    static func size(capacity: UInt32) -> Int {
        ring + Int(capacity)
    }
}
