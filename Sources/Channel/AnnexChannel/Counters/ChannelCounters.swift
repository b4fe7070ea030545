/// What has happened on a channel since it was made.
public struct ChannelCounters: Sendable, Hashable {
    public var framesSent: UInt64 = 0
    public var framesReceived: UInt64 = 0
    /// Payload bytes.
    public var bytesSent: UInt64 = 0
    public var bytesReceived: UInt64 = 0
    /// Answers that came after their call had ended another way, or a second time.
    public var lateReplies: UInt64 = 0
    /// How often a caller went to sleep for an answer.
    public var sleeps: UInt64 = 0
    /// How often the other side had to be woken through the kernel.
    public var wakeUpsSent: UInt64 = 0
    /// How often the event loop was woken for this channel.
    public var doorbells: UInt64 = 0
}
