/// Messages that came and were not taken. What bounds it is the credit that was given for them.
struct StreamQueue: Sendable {
    private var messages: [[UInt8]] = []
    /// How many of `messages` were taken: moved up once they are half of it.
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
