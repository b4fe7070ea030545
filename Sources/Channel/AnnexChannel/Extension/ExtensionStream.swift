internal import AnnexLinux

/// An extension's end of a stream, used by the thread that uses its endpoint. Waiting on one stream reads the channel
/// for all of them; requests that come meanwhile are kept for later.
///
/// If the last reference goes before both sides have finished, the stream is cancelled.
public final class ExtensionStream {
    /// The method that the stream was opened with. The host and the extension agree on the numbers.
    public let method: UInt16
    /// The bytes that the stream was opened with.
    public let arguments: [UInt8]
    let id: UInt64
    var state: StreamState
    var queue = StreamQueue()
    var failure: StreamFailure?
    private let core: ExtensionCore

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
        while true {
            if let message = queue.popFirst() {
                if let credit = state.recordPop(cost: StreamState.cost(message.count), isEmpty: queue.isEmpty) {
                    try core.send(FrameHeader(kind: .credit, call: id), payload: WireBytes.bytes(credit))
                }
                return message
            }
            // A failure after the host's finish does not change the regular end.
            if !state.isReceiving, failure != .cancelled { return nil }
            if let failure { throw failure }
            try core.readMore()
        }
    }

    /// Sends a message; waits on this thread until the host has room for it.
    public func sendAndWait(_ message: [UInt8]) throws {
        let cost = StreamState.cost(message.count)
        // The host may have reset the stream before. Messages sent after that would spend this extension's budget.
        try core.readWhatIsThere()
        while true {
            if let failure { throw failure }
            guard state.isSending else { throw StreamFailure.finished }
            if state.peerWindow > 0 {
                let most = min(Int(state.peerWindow) - 16, core.largestFrame)
                guard message.count <= most else {
                    throw StreamFailure.messageTooLarge(bytes: message.count, most: most)
                }
                if state.spend(cost) { break }
            }
            try core.readMore()
        }
        try core.send(FrameHeader(kind: .data, method: method, call: id), payload: message)
    }

    /// Announces that this side sends no more messages. The host may still send.
    public func finish() throws {
        guard failure == nil, state.isSending else { return }
        state.finishSending()
        try core.send(FrameHeader(kind: .finish, call: id), payload: [])
    }

    /// Ends the stream in both directions.
    /// - Parameters:
    ///   - code: sent to the host; codes above 0xFFFF_FF00 are reserved for Annex.
    ///   - text: for people; at most its first 512 bytes are sent.
    public func cancel(code: UInt32 = StreamFailure.cancelledCode, text: String = "") throws {
        guard failure == nil, !state.isOver else { return }
        failure = .cancelled
        queue.removeAll()
        try core.send(FrameHeader(kind: .reset, call: id), payload: StreamFrame.reset(code: code, text))
    }
}
