public import AnnexLinux
public import AnnexMessages

/// Why a call has no answer. Each call ends in exactly one answer or one of these.
public enum CallFailure: Error, Sendable, Hashable {
    /// The extension answered that it cannot. The text is the extension's own: escape it before showing it.
    case failed(code: UInt32, text: String)
    /// The caller gave up.
    case cancelled
    case deadlineExceeded
    /// The extension has ended or is being ended.
    case ended(reason: String)
    /// The extension broke a rule of the channel; no call of this channel is answered any more.
    case violated(ChannelViolation)
    /// The payload does not fit into a message; hand bulk over as a descriptor.
    case payloadTooLarge(bytes: Int, most: Int)
    /// More descriptors than one message carries.
    case tooManyDescriptors(count: Int, most: Int)
    /// The extension does not read: no room came within the caller's time.
    case noRoom
    /// A call that blocks was made on the event loop's thread and would have had to wait for it. That thread reads the
    /// channels, so all of them would stand still. Call from another thread, or with `await` from a task.
    case onEventLoop
    case tooManyCalls(most: Int)
    /// The request or notice breaks a limit of its wire form.
    case unencodable(EncodingFailure)
    /// The extension's answer is not the response that the request asks for.
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
