internal import AnnexChannel

/// One request as its extension sees it: what came in, and the one answer that goes out.
public final class ExtensionContext {
    /// What the host handed over.
    public let inputItems: [ExtensionItem]
    private var request: IncomingRequest?
    private let largestPayload: Int
    let life: ExtensionLife

    init(_ request: consuming IncomingRequest, inputItems: [ExtensionItem], largestPayload: Int, life: ExtensionLife) {
        self.life = life
        self.request = consume request
        self.inputItems = inputItems
        self.largestPayload = largestPayload
    }

    /// Whether the answer would be for nobody: the host gave up, its time is over, it is gone, or it has its answer.
    ///
    /// Looks at the channel, and answers the host's watchdog by it: long work asks several times within the extension
    /// point's `watchdog` limit, or is ended as `unresponsive`.
    public var isCancelled: Bool {
        life.look()
        return (try? request?.isCancelled() ?? true) ?? true
    }

    /// How long the host still waits; nil: without limit.
    public var timeRemaining: Duration? { request?.timeLeft }

    /// Ends the request with its result. Once: later calls, of this or of `cancelRequest`, do nothing.
    ///
    /// A result that the host would not take becomes an error that says so.
    public func completeRequest(returning items: [ExtensionItem]) {
        guard let request = request.take() else { return }
        do throws(ExtensionError) {
            let answer = try Answer.items(items, largestPayload: largestPayload, accepts: request.accepts)
            send(answer, to: request)
        } catch {
            send(.error(error, largestPayload: largestPayload), to: request)
        }
    }

    /// Gives the request up. Once: later calls, of this or of `completeRequest`, do nothing.
    public func cancelRequest(with error: any Error) {
        guard let request = request.take() else { return }
        send(.error(ExtensionError(describing: error), largestPayload: largestPayload), to: request)
    }

    /// Completes with what the closure returns, or cancels with what it throws.
    public func completeRequest(with work: () throws -> [ExtensionItem]) {
        do {
            completeRequest(returning: try work())
        } catch {
            cancelRequest(with: error)
        }
    }

    /// A principal object that returns without an answer has cancelled.
    func cancelUnlessAnswered() {
        cancelRequest(with: ExtensionError.returnedWithoutAnswer)
    }

    private func send(_ answer: consuming Answer, to request: consuming IncomingRequest) {
        // The host may be gone; then there is nobody to tell, and the main loop ends next.
        try? request.reply(answer.payload, sealed: answer.takePieces())
    }
}
