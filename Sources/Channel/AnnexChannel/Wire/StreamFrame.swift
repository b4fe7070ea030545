public import AnnexMessages

/// The payloads of stream frames, except the messages of the stream's users.
enum StreamFrame {
    /// The payload that opens a stream: the window that the opener gives, then the stream's arguments.
    static func opening(window: UInt32, _ arguments: [UInt8]) -> [UInt8] {
        WireBytes.bytes(window) + arguments
    }

    /// - Returns: the opener's window and the stream's arguments; nil if the payload is malformed.
    static func opening(_ payload: [UInt8]) -> (window: UInt32, arguments: [UInt8])? {
        guard let window = WireBytes.number(payload, at: 0, as: UInt32.self),
            window >= StreamState.smallestWindow, window <= StreamState.largestWindow
        else { return nil }
        return (window, Array(payload.dropFirst(4)))
    }

    static func reset(code: UInt32, _ text: String) -> [UInt8] {
        WireBytes.bytes(code) + Array(text.utf8.prefix(512))
    }

    static func reset(_ payload: [UInt8]) -> StreamFailure? {
        guard let code = WireBytes.number(payload, at: 0, as: UInt32.self) else { return nil }
        return .reset(code: code, text: String(decoding: payload.dropFirst(4), as: UTF8.self))
    }
}

/// Messages that arrived but were not taken yet. The credit that this side gave for the messages limits the queue.
struct StreamQueue: Sendable {
    private var messages: [[UInt8]] = []
    /// How many of `messages` were taken. The taken messages are removed when they are more than half of `messages`.
    private var popped = 0

    var count: Int { messages.count - popped }
    var isEmpty: Bool { popped >= messages.count }

    mutating func append(_ message: [UInt8]) {
        messages.append(message)
    }

    mutating func popFirst() -> [UInt8]? {
        guard popped < messages.count else { return nil }
        let message = messages[popped]
        messages[popped] = []
        popped += 1
        if popped * 2 > messages.count {
            messages.removeFirst(popped)
            popped = 0
        }
        return message
    }

    mutating func removeAll() {
        messages = []
        popped = 0
    }
}

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
    /// The message is larger than the largest message that the other side accepts.
    case messageTooLarge(bytes: Int, most: Int)
    /// The extension does not support streams.
    case unsupported
    /// The number of open streams has reached the channel's limit.
    case tooManyStreams(most: Int)
    /// The channel is closed, or sending failed.
    case channel(CallFailure)
    /// The message of a typed stream exceeds a limit of its encoding. Nothing was sent, and the stream stays open.
    case unencodable(EncodingFailure)
    /// The extension sent a message that cannot be decoded as the stream's message type. The stream has ended.
    case unreadable(DecodingFailure)
}

extension StreamFailure {
    /// Whether this side ended the stream and dropped the messages that it had not read.
    var dropsMessages: Bool {
        switch self {
        case .cancelled, .unreadable: true
        default: false
        }
    }
}

extension StreamFailure {
    /// The code of a reset for a stream that the other side did not accept.
    public static let rejectedCode: UInt32 = 0xFFFF_FFF0
    /// The code of a reset for a stream that its user cancelled.
    public static let cancelledCode: UInt32 = 0xFFFF_FFF1
}

extension StreamFailure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .reset(let code, let text): "the other side reset the stream with code \(code): \(text)"
        case .cancelled: "this side cancelled the stream"
        case .finished: "this side has already finished the stream"
        case .deadlineExceeded: "the other side did nothing within the time limit"
        case .messageTooLarge(let bytes, let most): "a message of \(bytes) bytes, but at most \(most) fit"
        case .unsupported: "the extension does not support streams"
        case .tooManyStreams(let most): "more than \(most) streams are open at once"
        case .channel(let failure): failure.description
        case .unencodable(let failure): "the message cannot be sent: \(failure)"
        case .unreadable(let failure): "the extension sent a message that cannot be read: \(failure)"
        }
    }
}
