internal import AnnexChannel

/// The bounds that a policy sets a channel, on the wire. What no policy says is the host's own affair.
struct ChannelConfigurationMessage: Message {
    let value: ChannelConfiguration

    init(_ value: ChannelConfiguration) {
        self.value = value
    }

    func encode(into encoder: inout MessageEncoder) {
        encoder.encode(value.hostCapacity, as: 1)
        encoder.encode(value.extensionCapacity, as: 2)
        encoder.encode(UInt64(clamping: value.mostOpenCalls), as: 3)
        encoder.encode(value.framesPerSecond, as: 4)
        encoder.encode(value.controlMessagesPerSecond, as: 5)
        if let limit = value.callLimit { encoder.encode(limit.wireNanoseconds, as: 6) }
    }

    init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        var value = ChannelConfiguration()
        value.hostCapacity = try decoder.decode(1)
        value.extensionCapacity = try decoder.decode(2)
        value.mostOpenCalls = Int(clamping: try decoder.decode(3, as: UInt64.self))
        value.framesPerSecond = try decoder.decode(4)
        value.controlMessagesPerSecond = try decoder.decode(5)
        value.callLimit = try decoder.decodeIfPresent(6, as: UInt64.self).map { Duration(wire: $0) }
        self.value = value
    }
}
