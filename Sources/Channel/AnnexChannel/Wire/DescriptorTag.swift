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
}
