public import AnnexMessages

/// The sizes and limits of a channel, chosen by the host before the channel is made.
public struct ChannelConfiguration: Sendable, Hashable {
    /// Bytes of the ring from host to extension: a power of two between 4 KiB and 256 MiB. A message larger than half
    /// the ring goes in pieces through the arena.
    public var hostCapacity: UInt32 = 65536
    /// Bytes of the ring from extension to host: a power of two between 4 KiB and 256 MiB.
    public var extensionCapacity: UInt32 = 65536
    /// Bytes of the arena for the host's large messages: a multiple of 64 KiB, at most 4 MiB; 0: the host sends none.
    /// The host's memory is used from the first large message on, and stays in use.
    public var hostArena: UInt32 = 2 << 20
    /// Bytes of the arena for the extension's large answers, with the same limits. The memory counts towards the memory
    /// limit of the extension's policy.
    public var extensionArena: UInt32 = 2 << 20
    /// The most bytes of a message in either direction, if it is larger than half a ring. Large answers arrive one at a
    /// time, and each takes its full size of the host's memory from its first piece on. A complete answer belongs to
    /// its caller, so an extension can make its host hold this much for each of `mostOpenCalls`.
    public var largestMessage: UInt32 = 16 << 20
    /// How callers in the host wait for answers.
    public var waiting: WaitingStyle = .adaptive
    /// How many calls may be unanswered at once.
    public var mostOpenCalls: Int = 1024
    /// How many of the extension's calls the host works on at once; further ones are answered "busy". A call that the
    /// extension has given up counts until the host has answered it.
    public var mostHostedCalls: Int = 64
    /// How many streams may be open at once, both sides together.
    public var mostStreams: Int = 64
    /// How many bytes of a stream that the extension opened may wait unread. Each message counts 16 bytes more.
    public var streamWindow: UInt32 = 65536
    /// How many answers, credits and resets may wait for an extension that does not read its ring.
    public var mostWaitingFrames: Int = 1024
    /// How many bytes the waiting frames may have together. A single waiting frame may be larger.
    public var mostWaitingBytes: Int = 8 << 20
    /// How long the first waiting frame may wait. An extension that reads nothing for longer violates the channel's
    /// rules.
    public var unreadLimit: Duration = .seconds(60)
    /// How long a caller without a deadline of its own waits for room in a full ring.
    public var sendLimit: Duration = .seconds(5)
    /// The longest wait in a stream without a timeout of its own; nil: no limit. A session's typed calls have the same
    /// limit. Calls made directly on the channel have only their own timeout.
    public var callLimit: Duration?
    /// How many frames that answer no open call may come in a second: events and late answers.
    public var framesPerSecond: UInt32 = 1000
    /// How many payload bytes such frames may have in a second. Frames of streams that the host has dropped count too.
    public var bytesPerSecond: UInt32 = 64 << 20
    /// How many messages a second may arrive on the control socket besides the doorbells that the host asked for.
    public var controlMessagesPerSecond: UInt32 = 1000
    /// How many wake-ups and doorbells without a message may come in a second. A thread that waits for room to send has
    /// the same limit for wake-ups that bring no room.
    public var futileWakeUpsPerSecond: UInt32 = 20_000
    /// The length of a "second" in these limits. Tests that flood a channel make it longer, because a busy machine may
    /// not reach the limit within one second.
    var budgetPeriod = Duration.seconds(1)

    /// A name for the channel, shown to programs that read its counters. At most its first 111 bytes are kept.
    public var label: String = ""
    /// Where the channel's traffic is recorded; nil: it is not recorded, which costs nothing.
    public var recording: ChannelRecording?

    public init() {}
}

/// Where a channel's traffic is recorded, and how much of it. `Docs/Guide/Recordings.md` describes the file's format.
///
/// A recording holds the messages between host and extension, so it is as private as those messages. On a recorded
/// channel every call goes through the table of calls, and every message is written to the file. The channel behaves
/// the same but is slower.
public struct ChannelRecording: Sendable, Hashable {
    /// The path of a new file, which only its owner may read. An existing file or link is an error.
    public var path: String
    /// The most bytes of the file. At the limit the recording stops; the channel goes on.
    public var mostBytes: UInt64 = 64 << 20
    /// How many bytes of each message are kept, at most 1 GiB. The file always has the message's full length.
    public var mostPayloadBytes: UInt32 = 65536
    /// How many bytes are kept of each file or piece of sealed memory that is handed over, at most 1 GiB; 0: only its
    /// size.
    public var mostHandedOverBytes: UInt32 = 0

    public init(to path: String) {
        self.path = path
    }
}

/// The host's callbacks for the events of a channel. Each runs on the event loop's thread, one at a time, in the order
/// of the events, and must not block.
public struct ChannelHandlers: Sendable {
    /// The extension is ready: sandboxed, started, and using this version of the wire format.
    public var onHello: @Sendable (Hello) -> Void = { _ in }
    /// The extension sent a one-way message.
    public var onEvent: @Sendable (ChannelEvent) -> Void = { _ in }
    /// The extension violated the channel's rules; called at most once. The channel is already closed, all calls are
    /// resolved, and nothing more from the extension is read. The owner of the extension should end it.
    public var onViolation: @Sendable (ChannelViolation) -> Void = { _ in }
    /// The extension has used three quarters of a budget within a second; called at most once a second for each budget.
    /// The extension may still use the last quarter. The host can stop sending requests, or end the extension before it
    /// exceeds the budget.
    public var onPressure: @Sendable (ChannelViolation.MessageBudget) -> Void = { _ in }
    /// The extension's end of the control socket is closed. The extension has most likely ended; only its process
    /// handle proves that. If it still runs, its messages are not noticed any more while no caller reads the channel.
    public var onPeerClosed: @Sendable () -> Void = {}

    /// The extension sent a notice, or a message of a typed stream, that the host cannot decode. The arguments are its
    /// method and the failure. An owner that treats an undecodable answer as a violation should end the extension for
    /// this too.
    public var onUnreadable: @Sendable (UInt16, DecodingFailure) -> Void = { _, _ in }
    /// A wait in a stream without a timeout of its own has become long, has ended, or has reached its limit.
    public var onStreamWait: @Sendable (StreamWaiting) -> Void = { _ in }

    /// The extension makes a request of the host. If nil, the host serves no requests, and each request fails. The
    /// content comes from untrusted code.
    public var onRequest: (@Sendable (consuming HostedRequest) -> Void)?
    /// The extension has opened a stream. If nil, the host accepts no streams, and each stream is reset.
    public var onStream: (@Sendable (ChannelStream) -> Void)?

    public init() {}
}
