public import AnnexBrokerAPI
public import AnnexChannel
internal import AnnexLinux
public import AnnexModel
internal import Synchronization

/// A launched extension and the channel to it. Releasing the last reference ends the extension.
///
/// Any thread or task may send requests, several at once; the extension works on them one after another. The extension
/// point's time limit holds for each request separately. It starts when no older request is open.
public final class ExtensionSession: Sendable {
    /// The channel itself, for calls with methods of the host's own, to an extension that serves them.
    ///
    /// Annex uses method 1, event 2 and events from 0xFFF0 on itself; all other numbers are free. The extension point's
    /// time limit does not hold for calls made here, so give them a timeout. Do not make blocking calls on the event
    /// loop's thread.
    public let channel: HostEndpoint
    let link: SessionLink
    /// The extension point's limit for one request, or the host's tighter one.
    @usableFromInline let patience: CallPatience?
    /// Keeps the broker alive: an embedded broker ends its extensions when its last reference is released.
    private let service: any BrokerService
    let observer: (any SessionObserver)?
    /// SYNC: relaxed: the number of the last request; all that matters is that no two are the same.
    let requests = Atomic<UInt64>(0)

    /// - Parameters:
    ///   - handle: the extension that the broker has launched with the other ends of the channel.
    ///   - patience: the extension point's limit for one request, or the host's tighter one.
    init(
        _ identifier: String, _ handle: any ExtensionHandle, _ link: SessionLink, _ channel: HostEndpoint,
        patience: CallPatience?, service: any BrokerService, observer: (any HostObserver)?
    ) {
        self.link = link
        self.channel = channel
        self.patience = patience
        self.service = service
        // Only a launched extension has events for an observer.
        self.observer = observer?.launching(identifier)
        if let observer = self.observer { link.tell(observer) }
        link.connect(to: handle)
    }

    deinit {
        link.tell { $0.dismiss(completed: false) }
    }

    /// How the launch went, step by step, and which layers are in force.
    public var launchReport: LaunchReport {
        if case .success(let report)? = link.ready.current { return report }
        return .unknown
    }

    /// The end; nil while the extension runs.
    public var termination: Termination? { link.ended.current }

    /// The messages and bytes that went through the channel so far.
    public var statistics: SessionStatistics { SessionStatistics(channel.counters) }

    nonisolated(nonsending) func becomeReady() async throws(HostError) {
        guard let reached = await link.ready.valueUnlessCancelled() else { throw .taskCancelled }
        if case .failure(let end) = reached { throw .ended(end.termination) }
    }

    func waitUntilReady() throws(HostError) {
        if case .failure(let end) = link.ready.wait() { throw .ended(end.termination) }
    }
}
