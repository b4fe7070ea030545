package import AnnexChannel

/// The resources that a process used. A value is nil if the machine does not measure it.
public struct Usage: Sendable, Hashable {
    /// The peak memory use, in bytes.
    public let peakMemory: UInt64?
    /// Processor time in the program.
    public let userTime: Duration?
    /// Processor time in the kernel on the program's behalf.
    public let systemTime: Duration?
    /// The messages and bytes of its channel; nil if they were not counted, for example because the launch failed.
    public let messages: SessionStatistics?
    /// How often the sandbox denied it something. Repetitions count.
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

/// How many messages and bytes a session's channel has carried so far.
public struct SessionStatistics: Sendable, Hashable {
    /// Messages that the host sent.
    public let messagesSent: UInt64
    /// Messages that the extension sent, including its hello.
    public let messagesReceived: UInt64
    /// Payload bytes in messages that the host sent. Contents of attachments travel beside the messages and do not
    /// count.
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
