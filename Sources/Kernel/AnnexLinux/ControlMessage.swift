/// One message from a control socket, with whatever descriptors the peer put into it.
package struct ControlMessage: ~Copyable, Sendable {
    /// At most as many bytes as were asked for.
    package let bytes: [UInt8]
    /// All that arrived, wanted or not; closed when nobody takes them.
    package var descriptors: DescriptorList
    /// The peer sent more bytes than were asked for.
    package let bytesWereCut: Bool
    /// Descriptors got lost: this process has no numbers left.
    package let descriptorsWereCut: Bool

    /// All descriptors, now the caller's.
    package mutating func takeDescriptors() -> DescriptorList {
        var taken = DescriptorList()
        swap(&taken, &descriptors)
        return taken
    }
}
