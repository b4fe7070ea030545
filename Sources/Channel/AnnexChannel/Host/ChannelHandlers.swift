public import AnnexMessages

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

    /// The extension sent a notice that the host's handler cannot decode. The arguments are the notice's method and the
    /// failure. An owner that treats an undecodable answer as a violation should end the extension for this too.
    public var onUnreadable: @Sendable (UInt16, DecodingFailure) -> Void = { _, _ in }
    /// A wait in a stream without a timeout of its own has become long, has ended, or has reached its limit.
    public var onStreamWait: @Sendable (StreamWaiting) -> Void = { _ in }

    /// The extension makes a request of the host; nil: the host serves none, and each request fails. The content comes
    /// from untrusted code.
    public var onRequest: (@Sendable (consuming HostedRequest) -> Void)?
    /// The extension has opened a stream; nil: the host accepts none, and each is reset.
    public var onStream: (@Sendable (ChannelStream) -> Void)?

    public init() {}
}
