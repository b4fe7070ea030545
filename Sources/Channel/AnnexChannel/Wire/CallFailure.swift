public import AnnexLinux
public import AnnexMessages

/// Why a call has no answer. Each call ends with exactly one answer or one of these failures.
public enum CallFailure: Error, Sendable, Hashable {
    /// The extension answered with a failure. The text comes from untrusted code: escape it before printing.
    case failed(code: UInt32, text: String)
    /// The caller cancelled the call, or the caller's task was cancelled.
    case cancelled
    case deadlineExceeded
    /// The extension has ended or is being ended.
    case ended(reason: String)
    /// The extension violated a rule of the channel. After that, no call of this channel gets an answer.
    case violated(ChannelViolation)
    /// The payload does not fit into a message. The caller should send bulk data as a descriptor.
    case payloadTooLarge(bytes: Int, most: Int)
    /// The request has more descriptors than one message can carry.
    case tooManyDescriptors(count: Int, most: Int)
    /// The extension does not read. The ring stayed full for as long as the caller could wait, or the control socket is
    /// full.
    case noRoom
    /// A blocking call was made on the event loop's thread. That thread reads the channels, so all channels would hang.
    /// Make the call on another thread, or with `await` in a task.
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
        case .failed(let code, let text): "the extension answered with failure \(code): \(text)"
        case .cancelled: "the caller cancelled the call"
        case .deadlineExceeded: "no answer arrived within the call's time limit"
        case .ended(let reason): "the extension has ended: \(reason)"
        case .violated(let violation): "the extension broke the channel's rules: \(violation)"
        case .payloadTooLarge(let bytes, let most):
            "a payload of \(bytes) bytes, but at most \(most) fit; hand over bulk data as a file or sealed memory"
        case .tooManyDescriptors(let count, let most): "\(count) descriptors, but one message carries at most \(most)"
        case .noRoom: "the ring to the extension stayed full, because the extension does not read it"
        case .onEventLoop:
            "a blocking call on the event loop's thread would wait for itself; call from another thread or with `await`"
        case .tooManyCalls(let most): "more than \(most) calls are open at once"
        case .unencodable(let failure): "the message cannot be sent: \(failure)"
        case .unreadable(let failure): "the answer cannot be decoded: \(failure)"
        case .system(let error): error.description
        }
    }
}

/// A handler's reason for failing a request. The caller receives code and text.
public struct HandlerFailure: Error, Sendable, Hashable {
    /// A code below 0xFFFF_FF00 whose meaning host and extension agree on. The codes from 0xFFFF_FF00 on are reserved
    /// for Annex.
    public let code: UInt32
    /// A text for people.
    public let text: String

    public init(code: UInt32, text: String) {
        self.code = code
        self.text = text
    }
}

extension HandlerFailure {
    /// The lowest code that is reserved for Annex.
    package static let firstReservedCode: UInt32 = 0xFFFF_FF00
    /// The handler dropped the request without an answer.
    static let droppedCode: UInt32 = .max
    /// No handler serves this method.
    public static let unknownMethodCode: UInt32 = 0xFFFF_FFFE
    /// The request's bytes cannot be decoded as its method requires.
    public static let unreadableCode: UInt32 = 0xFFFF_FFFD
    /// The handler threw an error that is not a `HandlerFailure`.
    public static let thrownCode: UInt32 = 0xFFFF_FFFC
    /// The answer would exceed the size of a message.
    public static let tooLargeCode: UInt32 = 0xFFFF_FFFB
    /// The number of open calls has reached the most that this side serves at once.
    public static let busyCode: UInt32 = 0xFFFF_FFFA

    /// Converts any error into a failure that can be sent.
    init(describing error: any Error) {
        self = error as? HandlerFailure ?? HandlerFailure(code: Self.thrownCode, text: "\(error)")
    }
}
