/// The bytes of a control message that carries descriptors: which call they belong to, and how many there are.
struct DescriptorTag: Sendable, Hashable {
    let call: UInt64
    let count: UInt32

    static let mark: UInt32 = 0x4446_4E41
    static let size = 16

    func encoded() -> [UInt8] {
        WireBytes.bytes(DescriptorTag.mark) + WireBytes.bytes(count) + WireBytes.bytes(call)
    }

    init(call: UInt64, count: UInt32) {
        self.call = call
        self.count = count
    }

    /// Nil for anything that is not exactly a tag.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == DescriptorTag.size, WireBytes.number(bytes, at: 0) == DescriptorTag.mark,
            let count = WireBytes.number(bytes, at: 4, as: UInt32.self),
            let call = WireBytes.number(bytes, at: 8, as: UInt64.self)
        else { return nil }
        self.init(call: call, count: count)
    }
}
