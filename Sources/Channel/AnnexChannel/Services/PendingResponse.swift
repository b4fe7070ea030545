public import AnnexMessages

/// The one answer that a request still waits for, to be given whenever it is ready. It cannot be copied, so it cannot
/// be used twice; let go of without an answer, it answers that there is none.
public struct PendingResponse<Response: Message>: ~Copyable {
    private let request: IncomingRequest

    init(_ request: consuming IncomingRequest) {
        self.request = request
    }

    /// Whether the caller has given up or its time is over. Looks at the channel, so long work asks from time to time.
    public func isCancelled() throws(ExtensionFailure) -> Bool {
        try request.isCancelled()
    }

    /// How long the caller still waits; nil: without limit.
    public var timeLeft: Duration? { request.timeLeft }

    /// Answers. A response that is larger than a message may be becomes a failure that says so.
    public consuming func send(_ response: Response) throws(ExtensionFailure) {
        let bytes: [UInt8]
        do throws(EncodingFailure) {
            bytes = try response.encoded(within: .standard)
        } catch {
            return try request.fail(code: HandlerFailure.tooLargeCode, text: "the response is too large: \(error)")
        }
        try request.reply(bytes)
    }

    /// Answers that there is no response.
    public consuming func fail(_ failure: HandlerFailure) throws(ExtensionFailure) {
        try request.fail(code: failure.code, text: failure.text)
    }
}
