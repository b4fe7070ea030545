/// What an extension says first: it runs, is sandboxed, and speaks this version.
public struct Hello: Sendable, Hashable {
    /// The extension's own claim about what it can do; unknown bits mean nothing.
    public let features: UInt64

    /// Its payload on the wire: magic u32, version u32, features u64.
    static let size = 16

    func encoded() -> [UInt8] {
        WireBytes.bytes(WireFormat.magic) + WireBytes.bytes(WireFormat.version) + WireBytes.bytes(features)
    }
}
