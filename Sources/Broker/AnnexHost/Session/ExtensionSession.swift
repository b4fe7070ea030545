public import AnnexBrokerAPI
public import AnnexChannel
internal import AnnexLinux
public import AnnexModel
internal import Synchronization

/// A launched extension and the channel to it. Releasing the last reference to the session ends the extension.
///
/// Any thread or task may send requests, also several requests at once. While the extension awaits something for one
/// request, it can work on other requests. The extension point's time limit applies to each request separately. The
/// time of a request starts when no older request is open.
public final class ExtensionSession: Sendable {
    /// The channel itself, for calls of methods that the host and the extension have defined themselves.
    ///
    /// Annex itself uses method 1, event 2 and all numbers from 0xFE00 on; all other numbers are free. The extension
    /// point's time limit does not apply to calls on this channel, so give them a timeout. Do not make blocking calls
    /// on the event loop's thread.
    public let channel: HostEndpoint
    let link: SessionLink
    /// The extension point's limit for one request, or the host's shorter limit.
    @usableFromInline let patience: CallPatience?
    /// Whether the session has an origin. Only then, the broker needs to know that the extension answered a request.
    @usableFromInline let hasOrigin: Bool
    /// Keeps the broker alive: an embedded broker ends its extensions when the last reference to the broker is
    /// released.
    private let service: any BrokerService
    let observer: (any SessionObserver)?
    /// SYNC: relaxed: the number of the last request. The numbers only have to differ from each other.
    let requests = Atomic<UInt64>(0)

    /// - Parameters:
    ///   - handle: the extension, which the broker has launched with the extension's ends of the channel.
    ///   - patience: the extension point's limit for one request, or the host's shorter limit.
    ///   - hasOrigin: whether the host named an origin of the session's requests.
    ///   - ends: announces the session's end to the host's program.
    init(
        _ identifier: String, handle: any ExtensionHandle, link: SessionLink, channel: HostEndpoint,
        patience: CallPatience?, hasOrigin: Bool, service: any BrokerService, observer: (any HostObserver)?,
        ends: Feed<SessionEnd>
    ) {
        self.link = link
        self.channel = channel
        self.patience = patience
        self.hasOrigin = hasOrigin
        self.service = service
        // Only a launched extension has events for an observer.
        self.observer = observer?.launching(identifier)
        if let observer = self.observer { link.report(to: observer) }
        link.ended.whenReached { ends.yield(SessionEnd(identifier: identifier, termination: $0)) }
        link.connect(to: handle)
    }

    deinit {
        link.report { $0.dismiss(for: .cancelled) }
    }

    /// A report on the launch. It contains each step, and the layers in force.
    public var launchReport: LaunchReport {
        if case .success(let report)? = link.ready.current { return report }
        return .unknown
    }

    /// How the extension ended; nil while it runs.
    public var termination: Termination? { link.ended.current }

    /// Suspends until the extension has ended, for whatever reason. Unlike `complete`, this function does not end the
    /// extension.
    /// - Returns: how the extension ended; nil if the task was cancelled before the end.
    public nonisolated(nonsending) func untilEnd() async -> Termination? { await link.ended.valueUnlessCancelled() }

    /// The messages and bytes that went through the channel so far.
    public var statistics: SessionStatistics { SessionStatistics(channel.counters) }

    /// Reports that the extension answered a request, if the broker needs to know.
    @usableFromInline func noteAnswer() {
        if hasOrigin { link.noteAnswer() }
    }

    nonisolated(nonsending) func becomeReady() async throws(HostError) {
        guard let reached = await link.ready.valueUnlessCancelled() else { throw .taskCancelled }
        if case .failure(let end) = reached { throw .ended(end.termination) }
    }

    func waitUntilReady() throws(HostError) {
        if case .failure(let end) = link.ready.wait() { throw .ended(end.termination) }
    }
}

extension ExtensionSession {
    /// Ends the session after the extension has answered its requests. The extension may tidy up until the grace of its
    /// extension point is over. If the task is cancelled, the call still waits for the extension's end, but not longer
    /// than the grace.
    ///
    /// - Returns: how the extension ended. The reason is `completed` if no other cause ended the extension earlier.
    public nonisolated(nonsending) func complete() async -> Termination {
        link.report { $0.dismiss(for: .completed) }
        return await link.ended.value()
    }

    /// Ends the session without waiting for open answers.
    ///
    /// - Returns: how the extension ended. The reason is `cancelled` if no other cause ended the extension earlier.
    public nonisolated(nonsending) func cancel() async -> Termination {
        link.report { $0.dismiss(for: .cancelled) }
        return await link.ended.value()
    }

    /// Does the same as `complete()`, for code without Swift concurrency. The call blocks the thread for the extension
    /// point's grace at most.
    ///
    /// - Precondition: the thread is not the event loop's thread, because that thread has to deliver the extension's
    ///   end. If the event loop's thread calls this function, the program stops. After the extension has ended, any
    ///   thread may call this function.
    public func completeAndWait() -> Termination {
        dismissAndWait(for: .completed)
    }

    /// Reports that the user acted in the extension's view, for example pressed a button. Some extension points, for
    /// example the point of widgets, let an extension open an app only within five seconds after an action. Call this
    /// before you send the action to the extension.
    ///
    /// `WidgetSession.perform(_:)` calls this function.
    public func noteUserAction() { link.report { $0.userActed() } }

    /// Does the same as `cancel()`, for code without Swift concurrency. The precondition of `completeAndWait` applies
    /// here too.
    public func cancelAndWait() -> Termination {
        dismissAndWait(for: .cancelled)
    }

    private func dismissAndWait(for dismissal: Dismissal) -> Termination {
        link.report { $0.dismiss(for: dismissal) }
        guard let end = waitForEnd() else {
            // The extension has not ended, so there is no end to return. If the event loop's thread waited here, it
            // would wait for itself, and silently block every channel.
            fatalError(
                "completeAndWait and cancelAndWait would wait for themselves on the event loop's thread: "
                    + "call them from another thread, or complete() and cancel() from a task")
        }
        return end
    }

    /// Blocks this thread until the extension has ended.
    /// - Returns: nil if the extension has not ended and this is the event loop's thread, because that thread has to
    ///   deliver the end.
    private func waitForEnd() -> Termination? {
        if let known = link.ended.current { return known }
        return channel.isOnLoop ? nil : link.ended.wait()
    }

    /// Blocks this thread until the extension has ended. The extension's end is returned as the error, because the end
    /// says more than the failure of the call. The event loop's thread cannot wait. On that thread, this method returns
    /// `onEventLoop`, as every blocking call does.
    func endAndWait() -> HostError {
        if let end = waitForEnd() { .ended(end) } else { .onEventLoop }
    }
}

/// Observes what a host does with its extensions. The task or thread that launches the extension calls the observer.
public protocol HostObserver: Sendable {
    /// An extension was launched. The returned observer gets the events of its session.
    func launching(_ identifier: String) -> any SessionObserver
    /// The broker did not launch the extension.
    func rejected(_ identifier: String, error: BrokerError)
}

/// Observes one session. Any thread may call the observer, and the observer must not block.
public protocol SessionObserver: Sendable {
    /// The extension has sent its hello, so it is ready for requests.
    func ready(_ report: LaunchReport)
    /// Called at most once. After this call, only the ends of requests are reported.
    func ended(_ termination: Termination)
    /// A request begins.
    /// - Returns: a closure that is called when the request ends. The closure gets nil if the request was answered, and
    ///   otherwise the error.
    func requesting() -> @Sendable (HostError?) -> Void
}
