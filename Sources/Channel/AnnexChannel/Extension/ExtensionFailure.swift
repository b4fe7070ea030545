public import AnnexLinux
public import AnnexMessages
internal import Glibc

/// Why an operation on the extension's end of a channel failed.
public enum ExtensionFailure: Error, Sendable, Hashable {
    /// The host violated the channel's rules, or the descriptors do not belong to a channel.
    case violated(ChannelViolation)
    /// The host's end is closed.
    case ended
    case payloadTooLarge(bytes: Int, most: Int)
    /// The host answered with a failure. The text comes from the host.
    case failed(code: UInt32, text: String)
    case deadlineExceeded
    /// The task that waited for the host was cancelled.
    case cancelled
    /// A body of `serve(_:post:)` used the endpoint that runs it. While `serve` runs, only `serve` may use the two
    /// rings. To call the host or use streams while serving, take requests with `next` instead.
    case inUse
    /// The host does not support a feature of the wire that the operation needs.
    case unsupported
    /// The message exceeds a limit of its encoding.
    case unencodable(EncodingFailure)
    /// The host's answer cannot be decoded as the request's response type, or a message of a typed stream cannot be
    /// decoded as the stream's type. In the second case, the stream has ended.
    case unreadable(DecodingFailure)
    /// A typed stream cannot send or receive. If the host ended the stream, the value is `StreamFailure.reset`.
    case stream(StreamFailure)
    /// The caller does not accept this much sealed memory.
    case notAccepted(pieces: Int, bytes: UInt64)
    case system(SystemError)
}

extension ExtensionFailure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .violated(let violation): "the host broke the channel's rules: \(violation)"
        case .ended: "the host's end of the channel is closed"
        case .payloadTooLarge(let bytes, let most): "a payload of \(bytes) bytes, but at most \(most) fit"
        case .notAccepted(let pieces, let bytes):
            "the caller does not accept sealed memory of \(bytes) bytes in \(pieces) pieces"
        case .failed(let code, let text): "the host answered with failure \(code): \(text)"
        case .deadlineExceeded: "no answer arrived within the call's time limit"
        case .cancelled: "the task was cancelled while it waited for the host"
        case .inUse:
            "`serve` uses the endpoint while it runs a body; to use it in a body, take requests with `next` instead"
        case .unsupported: "the host does not support this feature of the wire format"
        case .unencodable(let failure): "the message cannot be sent: \(failure)"
        case .unreadable(let failure): "the host's message cannot be decoded: \(failure)"
        case .stream(let failure): failure.description
        case .system(let error): error.description
        }
    }
}

extension ControlSocket {
    /// Rings the doorbell of a host that sleeps in epoll.
    func ring() throws(ExtensionFailure) {
        do throws(SystemError) {
            try send(WireFormat.doorbell)
        } catch {
            // The socket's queue is full of messages that the host has not read yet. These messages wake the host too.
            if error.errno != EAGAIN { throw ExtensionFailure(sending: error) }
        }
    }
}

extension ExtensionFailure {
    /// Converts an error of sending on the control socket.
    init(sending error: SystemError) {
        self = error.errno == EPIPE || error.errno == ECONNRESET ? .ended : .system(error)
    }
}
