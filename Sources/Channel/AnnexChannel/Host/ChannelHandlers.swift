public import AnnexMessages

/// What the host's endpoint tells its owner. Each runs on the event loop's thread, one at a time, in the order of the
/// events, and must not block.
public struct ChannelHandlers: Sendable {
    /// The extension is ready: sandboxed, started, and speaking this version of the wire.
    public var onHello: @Sendable (Hello) -> Void = { _ in }
    /// A one-way message of the extension's.
    public var onEvent: @Sendable (ChannelEvent) -> Void = { _ in }
    /// The extension broke a rule, at most once. Everything is already closed: all calls are resolved, and nothing more
    /// of the peer's is read. Whoever owns the extension ends it.
    public var onViolation: @Sendable (ChannelViolation) -> Void = { _ in }
    /// The extension has used up three quarters of a budget within a second; at most once in a second for each. What is
    /// left of it still goes: a host that cares stops asking, or ends the extension before it is ended.
    public var onPressure: @Sendable (ChannelViolation.MessageBudget) -> Void = { _ in }
    /// The other end of the control socket is closed. Most likely the extension has ended, which only its process
    /// handle proves; an extension that closes it and lives on is not heard any more while it is idle.
    public var onPeerClosed: @Sendable () -> Void = {}

    /// The extension sent a notice that its handler cannot read, with the notice's method. An owner that takes an
    /// unreadable answer for a breach ends the extension for this, too.
    public var onUnreadable: @Sendable (UInt16, DecodingFailure) -> Void = { _, _ in }
    /// Somebody waits in a stream for the extension, without a timeout of its own.
    public var onStreamWait: @Sendable (StreamWaiting) -> Void = { _ in }

    /// A request of the extension's; nil: the host serves none, and each fails. What stands in it is a stranger's.
    public var onRequest: (@Sendable (consuming HostedRequest) -> Void)?
    /// A stream that the extension has opened; nil: the host takes none, and each is reset.
    public var onStream: (@Sendable (ChannelStream) -> Void)?

    public init() {}
}
