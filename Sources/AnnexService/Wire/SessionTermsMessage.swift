internal import AnnexChannel

/// The bounds that a policy sets a host, on the wire. What no policy says is the host's own affair.
struct SessionTermsMessage: Message {
    let value: SessionTerms

    init(_ value: SessionTerms) {
        self.value = value
    }

    func encode(into encoder: inout MessageEncoder) {
        encoder.encode(value.channel.hostCapacity, as: 1)
        encoder.encode(value.channel.extensionCapacity, as: 2)
        encoder.encode(UInt64(clamping: value.channel.mostOpenCalls), as: 3)
        encoder.encode(value.channel.framesPerSecond, as: 4)
        encoder.encode(value.channel.controlMessagesPerSecond, as: 5)
        if let limit = value.channel.callLimit { encoder.encode(limit.wireNanoseconds, as: 6) }
        encoder.encode(value.keepAlive.wireNanoseconds, as: 7)
        encoder.encode(value.channel.hostArena, as: 8)
        encoder.encode(value.channel.extensionArena, as: 9)
        encoder.encode(value.channel.largestMessage, as: 10)
        encoder.encode(value.channel.unreadLimit.wireNanoseconds, as: 11)
    }

    init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        var value = SessionTerms()
        value.channel.hostCapacity = try decoder.decode(1)
        value.channel.extensionCapacity = try decoder.decode(2)
        value.channel.mostOpenCalls = Int(clamping: try decoder.decode(3, as: UInt64.self))
        value.channel.framesPerSecond = try decoder.decode(4)
        value.channel.controlMessagesPerSecond = try decoder.decode(5)
        value.channel.callLimit = try decoder.decodeIfPresent(6, as: UInt64.self).map { Duration(wire: $0) }
        value.keepAlive = Duration(wire: try decoder.decode(7))
        value.channel.hostArena = try decoder.decode(8)
        value.channel.extensionArena = try decoder.decode(9)
        value.channel.largestMessage = try decoder.decode(10)
        value.channel.unreadLimit = Duration(wire: try decoder.decode(11))
        self.value = value
    }
}
