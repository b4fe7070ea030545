internal import AnnexChannel

/// One request as the extension sees it: the items that came in, and the one answer that goes out.
public final class ExtensionContext {
    /// The items that the host sent.
    public let inputItems: [ExtensionItem]
    var request: IncomingRequest?
    private let largestPayload: Int
    let life: ExtensionLife
    let progress: ProgressReports
    /// Whether a task works on the request.
    var isWorking = false
    /// Called once, when the request is answered.
    var onAnswer: (() -> Void)?

    init(
        _ request: consuming IncomingRequest, inputItems: [ExtensionItem], largestPayload: Int, life: ExtensionLife,
        progress: ProgressReports
    ) {
        self.life = life
        self.progress = progress
        self.request = consume request
        self.inputItems = inputItems
        self.largestPayload = largestPayload
    }

    deinit {
        // A principal object that stays has let go of its open request.
        cancelUnlessAnswered()
    }

    /// Whether an answer would be of no use. True if the host cancelled, its time limit passed, the host is gone, or
    /// the request is answered already.
    ///
    /// Reading it checks the channel, and thereby answers the host's watchdog. Long work must read it several times
    /// within the extension point's `watchdog` limit, or the extension is ended as `unresponsive`.
    public var isCancelled: Bool {
        // Events that are passed on here may answer the request, so it is read afterwards.
        guard life.poll() else { return true }
        return request?.isGivenUp ?? true
    }

    /// The path of the private directory, which is kept from launch to launch; nil if the extension point gives none.
    ///
    /// Only this extension sees the directory. It is kept when its app is updated, and removed with its app. Several
    /// instances of the extension may run at the same time and share it: write a file under a new name, and then rename
    /// it to its place. The limits are those of the extension point's policy. An extension that exceeds them is ended
    /// with the reason `diskLimit`, and not launched again until files are removed.
    public var privateDirectory: String? { Surroundings.privateDirectory }

    /// The path of the app's `Frameworks`; nil if the app has none.
    ///
    /// It holds resources that the app and its extensions have in common. The extension can read them, if its policy
    /// allows the calls that read files, and can neither change nor execute them.
    public var frameworksDirectory: String? { Surroundings.frameworksDirectory }

    /// How long the host still waits; nil if it waits without a limit, or if the request is answered already.
    public var timeRemaining: Duration? { request?.timeLeft }

    /// Ends the request with its result. Later calls of this method or of `cancelRequest` do nothing.
    ///
    /// If the host would not accept the result, the request ends with an error that gives the reason.
    public func completeRequest(returning items: [ExtensionItem]) {
        guard let request = request.take() else { return }
        do throws(ExtensionError) {
            let answer = try Answer.items(items, largestPayload: largestPayload, accepts: request.accepts)
            send(answer, to: request)
        } catch {
            send(.error(error, largestPayload: largestPayload), to: request)
        }
    }

    /// Ends the request with an error. Later calls of this method or of `completeRequest` do nothing.
    public func cancelRequest(with error: any Error) {
        guard let request = request.take() else { return }
        send(.error(ExtensionError(describing: error), largestPayload: largestPayload), to: request)
    }

    /// Completes the request with the items that the closure returns, or cancels it with the error that it throws.
    public func completeRequest(with work: () throws -> [ExtensionItem]) {
        do {
            completeRequest(returning: try work())
        } catch {
            cancelRequest(with: error)
        }
    }

    /// Cancels the request if the principal object returned without an answer.
    func cancelUnlessAnswered() {
        cancelRequest(with: ExtensionError.returnedWithoutAnswer)
    }

    private func send(_ answer: consuming Answer, to request: consuming IncomingRequest) {
        progress.finish()
        onAnswer.take()?()
        // If the host is gone, the answer has no recipient, and the main loop ends at its next step.
        try? request.reply(answer.payload, sealed: answer.takePieces())
    }
}
