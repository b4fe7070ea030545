package import AnnexChannel

/// What went through a session's channel so far.
public struct SessionStatistics: Sendable, Hashable {
    /// Messages that the host sent.
    public let messagesSent: UInt64
    /// Messages that the extension sent, its hello among them.
    public let messagesReceived: UInt64
    /// Payload bytes in messages; contents travel beside them and are not counted.
    public let bytesSent: UInt64
    public let bytesReceived: UInt64

    package init(_ counters: ChannelCounters) {
        messagesSent = counters.framesSent
        messagesReceived = counters.framesReceived
        bytesSent = counters.bytesSent
        bytesReceived = counters.bytesReceived
    }

    package init(messagesSent: UInt64, messagesReceived: UInt64, bytesSent: UInt64, bytesReceived: UInt64) {
        self.messagesSent = messagesSent
        self.messagesReceived = messagesReceived
        self.bytesSent = bytesSent
        self.bytesReceived = bytesReceived
    }
}
