extension DescriptorTag {
    /// Nil for anything that is not exactly a tag.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == DescriptorTag.size, WireBytes.number(bytes, at: 0) == DescriptorTag.mark,
            let count = WireBytes.number(bytes, at: 4, as: UInt32.self),
            let call = WireBytes.number(bytes, at: 8, as: UInt64.self)
        else { return nil }
        self.init(call: call, count: count)
    }
}
