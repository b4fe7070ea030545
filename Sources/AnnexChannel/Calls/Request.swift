public import AnnexLinux

/// What a host asks.
public struct Request: ~Copyable, Sendable {
    /// What is asked; the caller's own numbering. The answer repeats it.
    public var method: UInt16
    /// At most half the ring less 24 bytes. Bulk goes as a descriptor.
    public var payload: [UInt8]
    /// Handed over with the request, at most 16; this side's copies are closed once they are sent.
    public var descriptors: DescriptorList
    /// What the answer may hand over.
    public var accepts: DescriptorAllowance

    public init(
        method: UInt16, payload: [UInt8] = [], descriptors: consuming DescriptorList = DescriptorList(),
        accepts: DescriptorAllowance = .none
    ) {
        self.method = method
        self.payload = payload
        self.descriptors = descriptors
        self.accepts = accepts
    }
}
