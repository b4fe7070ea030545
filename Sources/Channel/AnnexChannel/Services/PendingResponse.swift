public import AnnexMessages

/// A request's answer that the extension sends later. It is sent at most once, because the value cannot be copied.
/// Dropping it without an answer sends a failure.
public struct PendingResponse<Response: Message>: ~Copyable {
    private let request: IncomingRequest

    init(_ request: consuming IncomingRequest) {
        self.request = request
    }

    /// Whether the caller has given up or its time is over. Reads the channel, so long work should check this from time
    /// to time.
    public func isCancelled() throws(ExtensionFailure) -> Bool {
        try request.isCancelled()
    }

    /// How long the caller still waits; nil: without limit.
    public var timeLeft: Duration? { request.timeLeft }

    /// Sends the response. A response that exceeds the encoding's limits is answered with a failure instead.
    public consuming func send(_ response: Response) throws(ExtensionFailure) {
        let bytes: [UInt8]
        do throws(EncodingFailure) {
            bytes = try response.encoded(within: .standard)
        } catch {
            return try request.fail(code: HandlerFailure.tooLargeCode, text: "the response is too large: \(error)")
        }
        let most = request.largestPayload
        guard bytes.count <= most else {
            return try request.fail(
                code: HandlerFailure.tooLargeCode,
                text: "the response is too large: \(bytes.count) bytes, at most \(most) go through this channel")
        }
        try request.reply(bytes)
    }

    /// Answers with a failure.
    public consuming func fail(_ failure: HandlerFailure) throws(ExtensionFailure) {
        try request.fail(code: failure.code, text: failure.text)
    }
}
