/// The payloads of stream frames, except the users' own messages.
enum StreamFrame {
    /// The payload that opens a stream: the window that the opener gives, then the users' bytes.
    static func opening(window: UInt32, _ arguments: [UInt8]) -> [UInt8] {
        WireBytes.bytes(window) + arguments
    }

    /// - Returns: the opener's window and the users' bytes; nil if the payload is malformed.
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

/// Messages that arrived and were not taken yet. The credit that was given for them bounds the queue.
struct StreamQueue: Sendable {
    private var messages: [[UInt8]] = []
    /// How many of `messages` were taken. They are removed once they are more than half.
    private var taken = 0

    var count: Int { messages.count - taken }
    var isEmpty: Bool { taken >= messages.count }

    mutating func append(_ message: [UInt8]) {
        messages.append(message)
    }

    mutating func takeFirst() -> [UInt8]? {
        guard taken < messages.count else { return nil }
        let message = messages[taken]
        messages[taken] = []
        taken += 1
        if taken * 2 > messages.count {
            messages.removeFirst(taken)
            taken = 0
        }
        return message
    }

    mutating func removeAll() {
        messages = []
        taken = 0
    }
}
