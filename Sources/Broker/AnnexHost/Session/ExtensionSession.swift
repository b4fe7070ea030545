public import AnnexBrokerAPI
public import AnnexChannel
internal import AnnexLinux
public import AnnexModel
internal import Synchronization

/// A launched extension and its host's conversation with it. When the last reference goes, the extension is ended.
///
/// Requests may be sent from any thread or task, several at once; the extension works on them one after another. The
/// extension point's time limit holds for each by itself, from the moment at which no older one waits.
public final class ExtensionSession: Sendable {
    /// The channel itself, for calls of the host's own numbering with an extension that serves them.
    ///
    /// Methods are anything but 1, events anything but 2 and 0xFFF0 and above: those are Annex's own. Calls made here do
    /// not run against the extension point's time limit; give them a timeout. Not for the event loop's thread.
    public let channel: HostEndpoint
    let link: SessionLink
    /// The extension point's limit for one request, or the host's tighter one.
    @usableFromInline let patience: CallPatience?
    /// An embedded broker ends its extensions when it goes: it stays for as long as one of its sessions does.
    private let service: any BrokerService
    let observer: (any SessionObserver)?
    /// SYNC: relaxed: the number of the last request; only that no two are the same counts.
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
        // Only what is launched has an end to be told.
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

    /// The end, once there is one.
    public var termination: Termination? { link.ended.current }

    /// What went through the channel so far.
    public var statistics: SessionStatistics { SessionStatistics(channel.counters) }

    nonisolated(nonsending) func becomeReady() async throws(HostError) {
        guard let reached = await link.ready.valueUnlessCancelled() else { throw .taskCancelled }
        if case .failure(let end) = reached { throw .ended(end.termination) }
    }

    func waitUntilReady() throws(HostError) {
        if case .failure(let end) = link.ready.wait() { throw .ended(end.termination) }
    }
}
