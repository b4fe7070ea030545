package import AnnexChannel

/// The resources that a process used. A value is nil if the system does not measure it.
public struct Usage: Sendable, Hashable {
    /// The peak memory use, in bytes.
    public let peakMemory: UInt64?
    /// The processor time that the program itself used.
    public let userTime: Duration?
    /// The processor time that the kernel used on the program's behalf.
    public let systemTime: Duration?
    /// The messages and bytes of the process's channel; nil if they were not counted, for example because the launch
    /// failed.
    public let messages: SessionStatistics?
    /// The number of denials by the sandbox. If a denial is repeated, each repetition counts.
    public let denials: Int

    public init(
        peakMemory: UInt64? = nil, userTime: Duration? = nil, systemTime: Duration? = nil,
        messages: SessionStatistics? = nil, denials: Int = 0
    ) {
        self.peakMemory = peakMemory
        self.userTime = userTime
        self.systemTime = systemTime
        self.messages = messages
        self.denials = denials
    }
}

/// The number of messages and bytes that a session's channel has carried so far.
public struct SessionStatistics: Sendable, Hashable {
    /// The number of messages that the host sent.
    public let messagesSent: UInt64
    /// The number of messages that the extension sent, including its hello message.
    public let messagesReceived: UInt64
    /// The number of payload bytes in messages that the host sent. The contents of attachments are sent beside the
    /// messages and do not count.
    public let bytesSent: UInt64
    /// The number of payload bytes in messages that the extension sent.
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
