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
