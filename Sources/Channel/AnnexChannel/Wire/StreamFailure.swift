/// Why a stream takes or gives nothing any more.
public enum StreamFailure: Error, Sendable, Hashable {
    /// The other side has let go of the stream. The text is its own: escape it before showing it.
    case reset(code: UInt32, text: String)
    /// This side has let go of it.
    case cancelled
    /// Nothing more can be sent after `finish`.
    case finished
    /// The other side did nothing within the caller's time, or the channel's. The stream itself goes on.
    case deadlineExceeded
    /// The message is larger than the other side takes at once.
    case messageTooLarge(bytes: Int, most: Int)
    /// The extension does not know streams.
    case unsupported
    /// As many streams are open as the channel may have.
    case tooManyStreams(most: Int)
    /// The channel is closed, or has failed.
    case channel(CallFailure)
}

extension StreamFailure {
    /// The code of a stream that nobody on the other side takes.
    public static let refusedCode: UInt32 = 0xFFFF_FFF0
    /// The code of a stream that its user let go of.
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
