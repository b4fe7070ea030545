public import AnnexChannel
internal import AnnexLinux
public import AnnexModel
public import AnnexService
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

    init(
        _ identifier: String, as point: String? = nil, for purpose: LaunchPurpose = .request, timeLimit: Duration?,
        serving hosted: HostService,
        _ configure: (inout ChannelConfiguration) -> Void, service: any BrokerService,
        observer: (any HostObserver)? = nil
    ) throws {
        let link = SessionLink()
        var configuration = try service.terms(for: identifier).channel
        configuration.label = identifier
        configure(&configuration)
        configuration.callLimit = [configuration.callLimit, timeLimit].compactMap(\.self).min()
        var handlers = link.handlers
        hosted.install(in: &handlers)
        let channel = try HostEndpoint.make(configuration: configuration, handlers: handlers)
        let endpoint = channel.host
        let handle = try service.launch(
            identifier, as: point, for: purpose, timeLimit: timeLimit, channel: channel.descriptors, of: endpoint
        ) { link.receive($0, endpoint: endpoint) }
        // Only what is launched has an end to be told.
        self.observer = observer?.launching(identifier)
        if let observer = self.observer { link.tell(observer) }
        link.connect(to: handle)
        self.channel = endpoint
        self.link = link
        patience = configuration.callLimit.map { CallPatience($0) }
        self.service = service
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

    func becomeReady() async throws(HostError) {
        if case .failure(let end) = await link.ready.value() { throw .ended(end.termination) }
    }

    func waitUntilReady() throws(HostError) {
        if case .failure(let end) = link.ready.wait() { throw .ended(end.termination) }
    }
}
