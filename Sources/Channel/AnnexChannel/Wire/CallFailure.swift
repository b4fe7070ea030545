public import AnnexLinux
public import AnnexMessages

/// Why a call has no answer. Each call ends with exactly one answer or one of these failures.
public enum CallFailure: Error, Sendable, Hashable {
    /// The extension answered with a failure. The text comes from untrusted code: escape it before printing.
    case failed(code: UInt32, text: String)
    /// The caller or its task gave the call up.
    case cancelled
    case deadlineExceeded
    /// The extension has ended or is being ended.
    case ended(reason: String)
    /// The extension violated a rule of the channel. No call of this channel is answered any more.
    case violated(ChannelViolation)
    /// The payload does not fit into a message; hand bulk data over as a descriptor.
    case payloadTooLarge(bytes: Int, most: Int)
    /// The request has more descriptors than one message carries.
    case tooManyDescriptors(count: Int, most: Int)
    /// The extension does not read: the ring stayed full for the caller's time.
    case noRoom
    /// A blocking call was made on the event loop's thread. That thread reads the channels, so all of them would hang.
    /// Call from another thread, or with `await` from a task.
    case onEventLoop
    case tooManyCalls(most: Int)
    /// The request or notice exceeds a limit of its encoding.
    case unencodable(EncodingFailure)
    /// The extension's answer cannot be decoded as the request's response type.
    case unreadable(DecodingFailure)
    case system(SystemError)
}

extension CallFailure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .failed(let code, let text): "the extension answered failure \(code): \(text)"
        case .cancelled: "cancelled"
        case .deadlineExceeded: "no answer within the call's time"
        case .ended(let reason): "the extension has ended: \(reason)"
        case .violated(let violation): "the extension broke the channel's rules: \(violation)"
        case .payloadTooLarge(let bytes, let most):
            "a payload of \(bytes) bytes where \(most) fit; hand bulk over as a descriptor"
        case .tooManyDescriptors(let count, let most): "\(count) descriptors where one message carries \(most)"
        case .noRoom: "the extension does not read: its ring stayed full"
        case .onEventLoop:
            "a blocking call on the event loop's thread would wait for itself; call from another thread or a task"
        case .tooManyCalls(let most): "more than \(most) calls open at once"
        case .unencodable(let failure): "it cannot be sent: \(failure)"
        case .unreadable(let failure): "the answer cannot be read: \(failure)"
        case .system(let error): error.description
        }
    }
}
