internal import AnnexLinux

/// A frame that waits for room, with what goes ahead of it.
struct OutgoingFrame: ~Copyable {
    var header: FrameHeader
    var terms: RequestTerms?
    var payload: [UInt8]
    var descriptors = DescriptorList()
    /// Of a payload that goes in pieces.
    var transfer: LargeTransfer?

    /// Bytes behind the header. `HostEndpoint.check` has held them against the ring.
    var length: UInt32 {
        UInt32(truncatingIfNeeded: payload.count) &+ (terms == nil ? 0 : RequestTerms.size)
    }
}
