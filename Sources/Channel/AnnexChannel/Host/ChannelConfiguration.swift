public import AnnexMessages

/// The sizes and limits of a channel. The host chooses them before it makes the channel.
public struct ChannelConfiguration: Sendable, Hashable {
    /// Bytes of the ring from host to extension: a power of two between 4 KiB and 256 MiB. A message larger than half
    /// the ring is sent in pieces through the arena.
    public var hostCapacity: UInt32 = 65536
    /// Bytes of the ring from extension to host: a power of two between 4 KiB and 256 MiB.
    public var extensionCapacity: UInt32 = 65536
    /// Bytes of the arena for the host's large messages: a multiple of 64 KiB, at most 4 MiB. If 0, the host sends no
    /// large messages. The arena uses no memory of the host before the first large message. From then on, the memory
    /// stays in use.
    public var hostArena: UInt32 = 2 << 20
    /// Bytes of the arena for the extension's large answers, with the same limits as `hostArena`. The arena's memory
    /// counts towards the memory limit of the extension's policy.
    public var extensionArena: UInt32 = 2 << 20
    /// The most bytes of a message in pieces, that is, a message larger than half a ring. The limit applies in both
    /// directions. Large answers arrive one at a time. From its first piece on, each answer uses host memory for its
    /// full size. A complete answer belongs to its caller, and may stay in memory. So an extension can make its host
    /// hold this many bytes for each of `mostOpenCalls` calls.
    public var largestMessage: UInt32 = 16 << 20
    /// How callers in the host wait for answers.
    public var waiting: WaitingStyle = .adaptive
    /// How many calls may be unanswered at once.
    public var mostOpenCalls: Int = 1024
    /// How many of the extension's calls the host works on at once. The host answers further calls with "busy". A call
    /// that the extension has given up still counts until the host has answered it.
    public var mostHostedCalls: Int = 64
    /// How many streams may be open at once. The streams of both sides count together.
    public var mostStreams: Int = 64
    /// How many unread bytes may wait in each stream that the extension opened. Each message counts 16 bytes more than
    /// its length.
    public var streamWindow: UInt32 = 65536
    /// How many answers, credits and resets may wait for an extension that does not read its ring.
    public var mostWaitingFrames: Int = 1024
    /// How many bytes the frames that `mostWaitingFrames` limits may have together. If only one frame waits, it may be
    /// larger.
    public var mostWaitingBytes: Int = 8 << 20
    /// How long frames may wait while the host can send none of them. If an extension reads nothing for longer than
    /// this, it violates the channel's rules.
    public var unreadLimit: Duration = .seconds(60)
    /// How long a caller waits for room in a full ring if its call has no deadline.
    public var sendLimit: Duration = .seconds(5)
    /// The longest wait in a stream if the caller gives no timeout; nil: no limit. A session's typed calls have the
    /// same limit. A call made directly on the channel is limited only by the timeout that its caller gives.
    public var callLimit: Duration?
    /// How many frames that answer no open call, such as events and late answers, may arrive in a second. For each call
    /// that the extension answers in this second, four more may arrive.
    public var framesPerSecond: UInt32 = 1000
    /// How many payload bytes of frames that answer no open call may arrive in a second. Frames of streams that the
    /// host has dropped count too.
    public var bytesPerSecond: UInt32 = 64 << 20
    /// How many messages may arrive on the control socket in a second. Doorbells that the host asked for do not count.
    public var controlMessagesPerSecond: UInt32 = 1000
    /// How many wake-ups and doorbells without a message may arrive in a second. A separate budget with the same limit
    /// applies to wake-ups of threads that wait for room to send. Such a wake-up counts if the thread then finds no
    /// room.
    public var futileWakeUpsPerSecond: UInt32 = 20_000
    /// The length of a "second" in the limits above. Tests that flood a channel make it longer, because a test on a
    /// busy machine might not reach a limit within one second.
    var budgetPeriod = Duration.seconds(1)

    /// A name for the channel. Programs that read the channel's counters see this name. At most its first 111 bytes are
    /// kept.
    public var label: String = ""
    /// Where the channel's traffic is recorded; nil: the channel is not recorded, which costs nothing.
    public var recording: ChannelRecording?

    public init() {}
}

/// Where a channel's traffic is recorded, and how much of it. `Docs/Reference/Wire.md` describes the file's format.
///
/// A recording holds the messages between host and extension, so it is as private as those messages. On a recorded
/// channel every call goes through the table of calls, and every message is written to the file. The channel behaves
/// the same but is slower.
public struct ChannelRecording: Sendable, Hashable {
    /// The path of a new file, which only its owner may read. If a file or link exists at this path, making the channel
    /// fails.
    public var path: String
    /// The most bytes of the file. At this limit the recording stops, but the channel continues.
    public var mostBytes: UInt64 = 64 << 20
    /// How many bytes of each message are kept, at most 1 GiB. The file always states the message's full length.
    public var mostPayloadBytes: UInt32 = 65536
    /// How many bytes are kept of each file or piece of sealed memory that is handed over, at most 1 GiB. If 0, only
    /// the size is recorded.
    public var mostHandedOverBytes: UInt32 = 0

    public init(to path: String) {
        self.path = path
    }
}

/// The host's callbacks for the events of a channel. The event loop's thread runs the callbacks one at a time, in the
/// order of the events. The callbacks must not block. The code that made the channel with these callbacks is called the
/// channel's owner.
public struct ChannelHandlers: Sendable {
    /// The extension is ready: sandboxed, started, and using this version of the wire format.
    public var onHello: @Sendable (Hello) -> Void = { _ in }
    /// The extension sent a one-way message.
    public var onEvent: @Sendable (ChannelEvent) -> Void = { _ in }
    /// The extension violated the channel's rules. This handler is called at most once. By then the channel is closed,
    /// all calls are resolved, and the host reads nothing more from the extension. The owner should end the extension.
    public var onViolation: @Sendable (ChannelViolation) -> Void = { _ in }
    /// The extension has used three quarters of a budget. A budget limits what may arrive in a second, such as
    /// `ChannelConfiguration.framesPerSecond`. This handler is called at most once a second for each budget. The
    /// extension may still use the last quarter. The host can stop sending requests, or end the extension before it
    /// exceeds the budget.
    public var onPressure: @Sendable (ChannelViolation.MessageBudget) -> Void = { _ in }
    /// The extension's end of the control socket is closed. The extension has most likely ended, but only its process
    /// handle proves that. If the extension still runs, the host no longer notices its messages while no caller reads
    /// the channel.
    public var onPeerClosed: @Sendable () -> Void = {}

    /// The extension sent a notice, or a message of a typed stream, that the host cannot decode. The arguments are the
    /// message's method and the failure. If the owner treats an undecodable answer as a violation, it should end the
    /// extension in this case too.
    public var onUnreadable: @Sendable (UInt16, DecodingFailure) -> Void = { _, _ in }
    /// A wait without a timeout in a stream has become long, has ended, or has reached its limit.
    public var onStreamWait: @Sendable (StreamWaiting) -> Void = { _ in }

    /// The extension makes a request of the host. If nil, the host serves no requests, and each request fails. The
    /// content of a request comes from untrusted code.
    public var onRequest: (@Sendable (consuming HostedRequest) -> Void)?
    /// The extension has opened a stream. If nil, the host accepts no streams, and each stream is reset.
    public var onStream: (@Sendable (ChannelStream) -> Void)?

    public init() {}
}
