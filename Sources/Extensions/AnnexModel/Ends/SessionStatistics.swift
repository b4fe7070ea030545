package import AnnexChannel

/// How many messages and bytes a session's channel has carried so far.
public struct SessionStatistics: Sendable, Hashable {
    /// Messages that the host sent.
    public let messagesSent: UInt64
    /// Messages that the extension sent, including its hello.
    public let messagesReceived: UInt64
    /// Payload bytes in messages that the host sent. Contents of attachments travel beside the messages and do not count.
    public let bytesSent: UInt64
    /// Payload bytes in messages that the extension sent.
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
