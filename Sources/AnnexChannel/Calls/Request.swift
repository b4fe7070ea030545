package import AnnexLinux

/// What a host asks.
public struct Request: ~Copyable, Sendable {
    /// What is asked; the caller's own numbering. The answer repeats it.
    public var method: UInt16
    /// At most half the ring less 24 bytes. Bulk goes as a descriptor.
    public var payload: [UInt8]
    /// Handed over with the request, at most 16; this side's copies are closed once they are sent.
    package var descriptors: DescriptorList
    /// What the answer may hand over.
    public var accepts: DescriptorAllowance

    /// - Parameter grants: what the extension gets besides; at most `Grants.most` pieces.
    public init(
        method: UInt16, payload: [UInt8] = [], granting grants: consuming Grants = Grants(),
        accepts: DescriptorAllowance = .none
    ) {
        self.init(method: method, payload: payload, descriptors: grants.takeDescriptors(), accepts: accepts)
    }

    /// For those who have checked what they hand over.
    package init(
        method: UInt16, payload: [UInt8] = [], descriptors: consuming DescriptorList,
        accepts: DescriptorAllowance = .none
    ) {
        self.method = method
        self.payload = payload
        self.descriptors = descriptors
        self.accepts = accepts
    }

    /// Whether nothing but bytes goes either way.
    var isBare: Bool { descriptors.isEmpty && accepts == .none }
}
