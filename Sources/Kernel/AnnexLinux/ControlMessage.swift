/// One message from a control socket, with the descriptors that the peer sent in it.
package struct ControlMessage: ~Copyable, Sendable {
    /// The bytes, at most as many as the receiver asked for.
    package let bytes: [UInt8]
    /// All descriptors that arrived, expected or not. Those that are not taken are closed with this value.
    package var descriptors: DescriptorList
    /// The peer sent more bytes than were asked for.
    package let bytesWereCut: Bool
    /// Some descriptors were lost, because this process has no descriptor numbers left.
    package let descriptorsWereCut: Bool

    /// Takes all descriptors out of the message. The caller owns them then.
    package mutating func takeDescriptors() -> DescriptorList {
        var taken = DescriptorList()
        swap(&taken, &descriptors)
        return taken
    }
}
