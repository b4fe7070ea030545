internal import AnnexChannel

/// One request as the extension sees it: the items that the host sent, and the single answer of the extension.
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
        // A principal object that stays for the session may release the context of a request that has no answer. Such
        // a request is cancelled here.
        cancelUnlessAnswered()
    }

    /// Whether an answer to the request would be useless. The value is true if the host cancelled the request, or if
    /// the host's time limit has passed. The value is also true if the host is gone, or if the request already has an
    /// answer.
    ///
    /// Each read of this property checks the channel, and thereby answers the host's watchdog. Long work must read
    /// the property several times within the extension point's `watchdog` limit. Otherwise the extension is ended as
    /// `unresponsive`.
    public var isCancelled: Bool {
        // The poll handles events, and an event may cause an answer to the request. So the state of the request is
        // read after the poll.
        guard life.poll() else { return true }
        return request?.isGivenUp ?? true
    }

    /// The path of the private directory, which is kept from launch to launch; nil if the extension point gives no
    /// such directory.
    ///
    /// Only this extension sees the directory. The directory is kept when the extension's app is updated, and removed
    /// together with the app. Several instances of the extension may run at the same time and share the directory. So
    /// write a file under a new name first, and then rename it.
    ///
    /// The extension point's policy limits the directory. If an extension exceeds a limit, the extension is ended
    /// with the reason `diskLimit`. The extension is not launched again until files are removed.
    public var privateDirectory: String? { ExtensionDirectories.privateDirectory }

    /// The path of the app's `Frameworks` directory; nil if the app has no such directory.
    ///
    /// The directory holds resources that the app and its extensions share. The extension can read these resources if
    /// its policy allows the calls that read files. The extension can neither change nor execute them.
    public var frameworksDirectory: String? { ExtensionDirectories.frameworksDirectory }

    /// How long the host still waits; nil if the host waits without a limit, or if the request already has an answer.
    public var timeRemaining: Duration? { request?.timeLeft }

    /// Ends the request with its result. After that, further calls of this method or of `cancelRequest` do nothing.
    ///
    /// If the host would not accept the items, the request ends with an error that states the reason.
    public func completeRequest(returning items: [ExtensionItem]) {
        guard let request = request.take() else { return }
        do throws(ExtensionError) {
            let answer = try Answer.items(items, largestPayload: largestPayload, accepts: request.accepts)
            send(answer, to: request)
        } catch {
            send(.error(error, largestPayload: largestPayload), to: request)
        }
    }

    /// Ends the request with an error. After that, further calls of this method or of `completeRequest` do nothing.
    public func cancelRequest(with error: any Error) {
        guard let request = request.take() else { return }
        send(.error(ExtensionError(describing: error), largestPayload: largestPayload), to: request)
    }

    /// Completes the request with the items that the closure returns, or cancels the request with the error that the
    /// closure throws.
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
        // If the host is gone, the answer cannot be sent. The failure is ignored, because the main loop ends at its
        // next step.
        try? request.reply(answer.payload, sealed: answer.takePieces())
    }
}
