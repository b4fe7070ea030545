internal import AnnexLinux

/// An extension's end of a stream. Only the thread that uses the extension's endpoint may use the stream. A wait on one
/// stream reads the channel for all streams. Requests that come during the wait are kept for later.
///
/// If the last reference to the stream is released before both sides have finished, the stream is cancelled.
public final class ExtensionStream {
    /// A message that was taken from the queue; nil at the stream's end.
    struct Taken {
        var message: [UInt8]?
    }

    /// The method that the stream was opened with. The host and the extension agree on the numbers.
    public let method: UInt16
    /// The bytes that the stream was opened with.
    public let arguments: [UInt8]
    let id: UInt64
    var state: StreamState
    var queue = StreamQueue()
    var failure: StreamFailure?
    /// Counts the changes of the stream. A task suspends only if this count has not changed since the task's last
    /// check.
    var changes: UInt64 = 0
    /// Tasks that wait for a message, for credit, or for the stream's end.
    var waiting: [CheckedContinuation<Void, Never>] = []
    let core: ExtensionCore

    init(id: UInt64, method: UInt16, arguments: [UInt8], state: StreamState, core: ExtensionCore) {
        self.id = id
        self.method = method
        self.arguments = arguments
        self.state = state
        self.core = core
    }

    deinit {
        core.streams.removeValue(forKey: id)
        guard failure == nil, !state.isOver else { return }
        // The host may have ended and need no reset, so an error is ignored.
        try? core.send(
            FrameHeader(kind: .reset, call: id), payload: StreamFrame.reset(code: StreamFailure.cancelledCode, ""))
    }

    /// Returns the next message in order; nil if the host has finished. Waits on this thread.
    public func receiveAndWait() throws -> [UInt8]? {
        try Self.unwrapping { () throws(ExtensionFailure) in try nextAndWait() }
    }

    /// Sends a message; waits on this thread until the host has room for it.
    public func sendAndWait(_ message: [UInt8]) throws {
        try Self.unwrapping { () throws(ExtensionFailure) in try passAndWait(message) }
    }

    /// Announces that this side sends no more messages. The host may still send.
    public func finish() throws {
        try announceFinish()
    }

    /// Ends the stream in both directions.
    /// - Parameters:
    ///   - code: sent to the host; codes above 0xFFFF_FF00 are reserved for Annex.
    ///   - text: for people; at most its first 512 bytes are sent.
    public func cancel(code: UInt32 = StreamFailure.cancelledCode, text: String = "") throws {
        try reset(code: code, text: text)
    }

    /// The functions for bytes throw the failure of a stream itself, without the `ExtensionFailure` around it.
    private static func unwrapping<Value>(_ body: () throws(ExtensionFailure) -> Value) throws -> Value {
        do throws(ExtensionFailure) {
            return try body()
        } catch {
            if case .stream(let failure) = error { throw failure }
            throw error
        }
    }
}

// The same functions with a single error type, which typed streams need.
extension ExtensionStream {
    /// The next message; nil if the host has finished. Blocks this thread.
    func nextAndWait() throws(ExtensionFailure) -> [UInt8]? {
        while true {
            if let taken = try take() { return taken.message }
            try core.readMore()
        }
    }

    /// Sends a message. Blocks this thread.
    func passAndWait(_ message: [UInt8]) throws(ExtensionFailure) {
        // The host may already have reset the stream. Messages sent after a reset would spend the budget that the host
        // gives this extension.
        try core.readWhatIsThere()
        while try !sendIfRoom(message) { try core.readMore() }
    }

    /// Takes a message, and returns its credit to the host.
    /// - Returns: nil if no message has arrived yet.
    func take() throws(ExtensionFailure) -> Taken? {
        if let message = queue.popFirst() {
            if let credit = state.recordPop(cost: StreamState.cost(message.count), isEmpty: queue.isEmpty) {
                try core.send(FrameHeader(kind: .credit, call: id), payload: WireBytes.bytes(credit))
            }
            return Taken(message: message)
        }
        // If the host has finished, receiving ends without an error, even if the stream has failed since then. But if
        // this side cancelled the stream, receiving fails.
        if !state.isReceiving, failure != .cancelled { return Taken(message: nil) }
        if let failure { throw .stream(failure) }
        return nil
    }

    /// - Returns: false if the host has no room for the message yet.
    func sendIfRoom(_ message: [UInt8]) throws(ExtensionFailure) -> Bool {
        if let failure { throw .stream(failure) }
        guard state.isSending else { throw .stream(.finished) }
        guard state.peerWindow > 0 else { return false }
        let most = min(Int(state.peerWindow) - 16, core.largestFrame)
        guard message.count <= most else {
            throw .stream(.messageTooLarge(bytes: message.count, most: most))
        }
        guard state.spend(StreamState.cost(message.count)) else { return false }
        try core.send(FrameHeader(kind: .data, method: method, call: id), payload: message)
        return true
    }

    func announceFinish() throws(ExtensionFailure) {
        guard failure == nil, state.isSending else { return }
        state.finishSending()
        noteChange()
        try core.send(FrameHeader(kind: .finish, call: id), payload: [])
    }

    func reset(code: UInt32, text: String) throws(ExtensionFailure) {
        guard failure == nil, !state.isOver else { return }
        failure = .cancelled
        queue.removeAll()
        noteChange()
        try core.send(FrameHeader(kind: .reset, call: id), payload: StreamFrame.reset(code: code, text))
    }
}
