extension Hello {
    /// Reads a hello that an extension sent.
    init(_ frame: Frame) throws(ChannelViolation) {
        guard frame.payload.count == Hello.size, frame.method == 0,
            WireBytes.number(frame.payload, at: 0) == WireFormat.magic,
            let version = WireBytes.number(frame.payload, at: 4, as: UInt32.self),
            let features = WireBytes.number(frame.payload, at: 8, as: UInt64.self)
        else { throw .malformedHello(length: frame.payload.count) }
        guard version == WireFormat.version else { throw .wireVersion(version) }
        self.init(said: features)
    }
}
