/// Why a stream cannot send or receive.
public enum StreamFailure: Error, Sendable, Hashable {
    /// The other side ended the stream. The text comes from the other side: escape it before printing.
    case reset(code: UInt32, text: String)
    /// This side cancelled the stream.
    case cancelled
    /// Nothing more can be sent after `finish`.
    case finished
    /// The other side did nothing within the caller's timeout or the channel's limit. The stream stays open.
    case deadlineExceeded
    /// The message is larger than the other side accepts at once.
    case messageTooLarge(bytes: Int, most: Int)
    /// The extension does not support streams.
    case unsupported
    /// The most streams that the channel may have are already open.
    case tooManyStreams(most: Int)
    /// The channel is closed, or sending failed.
    case channel(CallFailure)
}

extension StreamFailure {
    /// The code of a reset for a stream that the other side did not accept.
    public static let refusedCode: UInt32 = 0xFFFF_FFF0
    /// The code of a reset for a stream that its user cancelled.
    public static let cancelledCode: UInt32 = 0xFFFF_FFF1
}

extension StreamFailure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .reset(let code, let text): "the other side let go of the stream, code \(code): \(text)"
        case .cancelled: "cancelled"
        case .finished: "the stream was finished before"
        case .deadlineExceeded: "nothing came within the time given"
        case .messageTooLarge(let bytes, let most): "a message of \(bytes) bytes where \(most) fit"
        case .unsupported: "the extension does not know streams"
        case .tooManyStreams(let most): "more than \(most) streams open at once"
        case .channel(let failure): failure.description
        }
    }
}
