/// What an extension says first: it runs, is sandboxed, and speaks this version.
public struct Hello: Sendable, Hashable {
    /// The extension's own claim about what it can do, in the lower 32 bits; host and extension agree what they mean.
    public var features: UInt64 { said & WireFeatures.usersBits }

    /// What the extension's side of the wire can do. Unknown bits mean nothing.
    var wire: WireFeatures { WireFeatures(rawValue: said) }

    private let said: UInt64

    /// - Parameter said: the users' features in the lower half, the wire's in the upper.
    init(said: UInt64) {
        self.said = said
    }

    /// Its payload on the wire: magic u32, version u32, features u64.
    static let size = 16

    func encoded() -> [UInt8] {
        WireBytes.bytes(WireFormat.magic) + WireBytes.bytes(WireFormat.version) + WireBytes.bytes(said)
    }
}

/// What an end can do beyond calls and events, said in the upper half of a hello's features and in the host's region.
/// An end uses what both can do, and ignores bits that it does not know.
struct WireFeatures: OptionSet, Sendable, Hashable {
    let rawValue: UInt64

    /// Calls from the extension to the host.
    static let hostedCalls = WireFeatures(rawValue: 1 << 32)
    static let streams = WireFeatures(rawValue: 1 << 33)
    /// Messages in pieces, through arenas.
    static let pieces = WireFeatures(rawValue: 1 << 34)
    /// Frames that stay where the one before was: `PlaceMarks`.
    static let staying = WireFeatures(rawValue: 1 << 35)

    /// A host that rings the extension's bell: `ReceiverState.asleepOnBell`.
    static let bells = WireFeatures(rawValue: 1 << 36)

    /// An extension that knows `ReceiverState.wantsEveryDoorbell`.
    static let everyDoorbell = WireFeatures(rawValue: 1 << 37)

    /// What this version can do.
    static let own: WireFeatures = [.hostedCalls, .streams, .pieces, .staying, .bells, .everyDoorbell]
    /// The bits that are not the wire's.
    static let usersBits: UInt64 = 0xFFFF_FFFF
}
