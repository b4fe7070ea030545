/// The first message of an extension. It states that the extension runs, is sandboxed, and uses this wire version.
public struct Hello: Sendable, Hashable {
    /// The features that the extension claims, in the lower 32 bits. Host and extension agree on their meaning.
    public var features: UInt64 { said & WireFeatures.usersBits }

    /// The wire features of the extension's library. Unknown bits are ignored.
    var wire: WireFeatures { WireFeatures(rawValue: said) }

    private let said: UInt64

    /// - Parameter said: the users' features in the lower half, the wire's in the upper half.
    init(said: UInt64) {
        self.said = said
    }

    /// The payload's size on the wire: magic u32, version u32, features u64.
    static let size = 16

    func encoded() -> [UInt8] {
        WireBytes.bytes(WireFormat.magic) + WireBytes.bytes(WireFormat.version) + WireBytes.bytes(said)
    }
}

/// Optional features of an end, besides calls and events. A hello states them in the upper half of its features, and
/// the host in its region. An end uses the features that both have, and ignores unknown bits.
struct WireFeatures: OptionSet, Sendable, Hashable {
    let rawValue: UInt64

    /// Calls from the extension to the host.
    static let hostedCalls = WireFeatures(rawValue: 1 << 32)
    static let streams = WireFeatures(rawValue: 1 << 33)
    /// Messages in pieces, through arenas.
    static let pieces = WireFeatures(rawValue: 1 << 34)
    /// Frames that stay in the place of the previous frame: `PlaceMarks`.
    static let staying = WireFeatures(rawValue: 1 << 35)

    /// The host rings the extension's bell: `ReceiverState.asleepOnBell`.
    static let bells = WireFeatures(rawValue: 1 << 36)

    /// The extension supports `ReceiverState.wantsEveryDoorbell`.
    static let everyDoorbell = WireFeatures(rawValue: 1 << 37)

    /// The features of this version.
    static let own: WireFeatures = [.hostedCalls, .streams, .pieces, .staying, .bells, .everyDoorbell]
    /// The bits that belong to the users.
    static let usersBits: UInt64 = 0xFFFF_FFFF
}
