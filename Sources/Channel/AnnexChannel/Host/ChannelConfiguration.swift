/// What a host decides about a channel before it exists.
public struct ChannelConfiguration: Sendable, Hashable {
    /// Bytes of the ring from host to extension: a power of two between 4 KiB and 256 MiB. A message of more than half of
    /// it goes in pieces through the arena.
    public var hostCapacity: UInt32 = 65536
    /// The same from extension to host.
    public var extensionCapacity: UInt32 = 65536
    /// Bytes through which the host's large messages go, piece by piece: a multiple of 64 KiB, at most 4 MiB; 0: none
    /// are sent. Memory is taken when the first is sent, the host's, and stays.
    public var hostArena: UInt32 = 2 << 20
    /// The same for the extension's large answers. The memory is the extension's, within its policy's limit.
    public var extensionArena: UInt32 = 2 << 20
    /// The most bytes of a message in either direction, where it is more than half a ring. An extension's answers come one
    /// at a time, and each takes as much of the host's memory from its beginning on. Once whole it is its caller's: so an
    /// extension can have its host hold this much for each of `mostOpenCalls`.
    public var largestMessage: UInt32 = 16 << 20
    /// How the host's callers wait for answers.
    public var waiting: WaitingStyle = .adaptive
    /// How many calls may be unanswered at once.
    public var mostOpenCalls: Int = 1024
    /// How many calls of the extension's the host works on at once; one more is answered "busy". One that the extension
    /// has given up counts until the host has answered it.
    public var mostHostedCalls: Int = 64
    /// How many streams may be open at once, of both sides together.
    public var mostStreams: Int = 64
    /// How many bytes of a stream that the extension opened may wait unread, 16 more for each message.
    public var streamWindow: UInt32 = 65536
    /// How many answers, credits and resets may wait for an extension that does not read.
    public var mostWaitingFrames: Int = 1024
    /// How many bytes they may have together; a single one may have more.
    public var mostWaitingBytes: Int = 8 << 20
    /// How long the first of them may wait: an extension that has read nothing for so long breaks the channel's rules.
    public var unreadLimit: Duration = .seconds(60)
    /// How long a caller without a deadline of its own waits for room in a full ring.
    public var sendLimit: Duration = .seconds(5)
    /// The longest that a wait in a stream without a timeout of its own lasts; nil: without limit. A session's typed calls
    /// have the same limit; calls made of the channel itself have none but their own.
    public var callLimit: Duration?
    /// Frames within a second that answer no open call: events, late answers.
    public var framesPerSecond: UInt32 = 1000
    /// Payload bytes within a second of such frames, and of those of streams that the host has let go of.
    public var bytesPerSecond: UInt32 = 64 << 20
    /// Messages on the control socket within a second that are no doorbell that the host asked for.
    public var controlMessagesPerSecond: UInt32 = 1000
    /// Wake-ups and doorbells within a second that bring no message; as many wake-ups may bring no room to who waits for it.
    public var futileWakeUpsPerSecond: UInt32 = 20_000
    /// How long such a second is. Longer where a test floods: its machine may not let it within one.
    var budgetPeriod = Duration.seconds(1)

    /// Whose channel it is, for who looks at its counters from outside; at most 111 bytes of it.
    public var label: String = ""
    /// Where the channel's traffic is recorded; nil: nowhere, at no cost.
    public var recording: ChannelRecording?

    public init() {}
}

/// Where a channel's traffic is recorded, and how much of it. `Docs/Guide/Recordings.md` has the file's format.
///
/// A recording holds what host and extension say to each other: it is as private as they are. A channel that is
/// recorded takes the general way for every message and writes a file for each: it works as ever, but not as fast.
public struct ChannelRecording: Sendable, Hashable {
    /// A new file, made for its owner alone; an existing one, also a link, is an error.
    public var path: String
    /// The file's own limit in bytes: recording stops there, the channel goes on.
    public var mostBytes: UInt64 = 64 << 20
    /// How many bytes of each message are kept, at most 1 GiB; of the others only their number.
    public var mostPayloadBytes: UInt32 = 65536
    /// How many bytes are kept of each file or piece of sealed memory that is handed over, at most 1 GiB; 0: only its size.
    public var mostHandedOverBytes: UInt32 = 0

    public init(to path: String) {
        self.path = path
    }
}
