public import AnnexLinux
public import AnnexMessages
internal import Glibc

/// Why an extension's end of the channel cannot do what it was asked.
public enum ExtensionFailure: Error, Sendable, Hashable {
    /// The host does not keep the channel's rules, or the descriptors are none of a channel.
    case violated(ChannelViolation)
    /// The host's end is closed.
    case ended
    case payloadTooLarge(bytes: Int, most: Int)
    /// The host answered that it cannot. The text is the host's own.
    case failed(code: UInt32, text: String)
    case deadlineExceeded
    /// A body of `serve(_:post:)` has used the endpoint that it is called by, which holds both rings meanwhile. A body
    /// answers with what it has; to call the host or to use streams meanwhile, take requests with `next`.
    case inUse
    /// The host does not know this part of the wire.
    case unsupported
    /// What was to be sent breaks a limit of its wire form.
    case unencodable(EncodingFailure)
    /// The host's answer is not the response that the request asks for.
    case unreadable(DecodingFailure)
    /// The caller does not accept so much sealed memory.
    case notAccepted(pieces: Int, bytes: UInt64)
    case system(SystemError)
}

extension ExtensionFailure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .violated(let violation): "the host broke the channel's rules: \(violation)"
        case .ended: "the host's end of the channel is closed"
        case .payloadTooLarge(let bytes, let most): "a payload of \(bytes) bytes where \(most) fit"
        case .notAccepted(let pieces, let bytes):
            "\(pieces) pieces of sealed memory with \(bytes) bytes, which the caller does not accept"
        case .failed(let code, let text): "the host answered failure \(code): \(text)"
        case .deadlineExceeded: "no answer within the call's time"
        case .inUse:
            "the endpoint serves bare bytes; a body of `serve` cannot use it: take requests with `next` instead"
        case .unsupported: "the host does not know this part of the wire"
        case .unencodable(let failure): "it cannot be sent: \(failure)"
        case .unreadable(let failure): "the answer cannot be read: \(failure)"
        case .system(let error): error.description
        }
    }
}

extension ControlSocket {
    /// Tells a host that sleeps in epoll that there is something to read.
    func ring() throws(ExtensionFailure) {
        do throws(SystemError) {
            try send(WireFormat.doorbell)
        } catch {
            // A full queue wakes the host as well.
            if error.errno != EAGAIN { throw ExtensionFailure(sending: error) }
        }
    }
}

extension ExtensionFailure {
    /// What it means that the control socket takes nothing.
    init(sending error: SystemError) {
        self = error.errno == EPIPE || error.errno == ECONNRESET ? .ended : .system(error)
    }
}
