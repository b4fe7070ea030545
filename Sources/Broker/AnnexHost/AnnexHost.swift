public import AnnexBrokerAPI
public import AnnexChannel
internal import AnnexLinux

/// A host's way to its extensions: what is installed, and sessions with them.
///
/// A host gets one by `AnnexHost.embedded(apps:)` from the module AnnexEmbedded; where the broker is makes no other
/// difference.
///
/// ```swift
/// let host = try AnnexHost.embedded(apps: ["Shout.app"])
/// let session = try await host.begin("com.example.shout.loud")
/// let answer = try await session.request([ExtensionItem(contentText: "hello")])
/// ```
public struct AnnexHost: Sendable {
    private let service: any BrokerService
    private let observer: (any HostObserver)?

    package init(service: any BrokerService, observer: (any HostObserver)? = nil) {
        self.service = service
        self.observer = observer
    }

    /// The same host, with somebody who is told of what it does.
    package func observed(by observer: any HostObserver) -> AnnexHost {
        AnnexHost(service: service, observer: observer)
    }

    /// Registers an app bundle and the extensions in its `PlugIns`; an app that is installed already is replaced.
    ///
    /// Reads files, and waits on this thread for a broker that is a daemon: two minutes at most. So does each of the next
    /// four, half a minute at most.
    /// - Parameter path: the bundle's directory, `Name.app`.
    /// - Returns: the app's extensions. One that breaks a rule of packaging has a `refusal`, and is not on offer.
    /// - Throws: a `BrokerError` that names file, key and remedy if the app itself breaks a rule.
    @discardableResult
    public func install(app path: String) throws(BrokerError) -> [InstalledExtension] {
        try service.install(app: path)
    }

    /// Takes an app out, with the extensions in it; those that run end as `removed`.
    ///
    /// - Parameter identifier: the app's bundle identifier, for example `com.example.pictures`.
    /// - Throws: a `BrokerError` where no such app is installed.
    public func remove(app identifier: String) throws(BrokerError) {
        try service.remove(app: identifier)
    }

    /// Switches an extension on or off. One that is off is not offered and not launched; where it runs, it ends as
    /// `disabled`. Holds for this host's broker and until its app is removed.
    ///
    /// - Parameter identifier: the extension's bundle identifier.
    /// - Throws: a `BrokerError` where no such extension is installed.
    public func setEnabled(_ isEnabled: Bool, for identifier: String) throws(BrokerError) {
        try service.setEnabled(isEnabled, for: identifier)
    }

    /// The extensions on offer, by identifier; not those that are switched off or refused. None where the daemon has gone or
    /// refuses to say: `installed()` tells the two from each other.
    public var extensions: [InstalledExtension] { (try? service.extensions) ?? [] }

    /// Everything that is installed, by identifier, also what is switched off or refused: for a program that lets its user
    /// choose.
    ///
    /// - Throws: a `BrokerError` where the daemon does not answer or refuses.
    public func installed() throws(BrokerError) -> [InstalledExtension] { try service.installed }

    /// The extensions on offer for one extension point, for example `com.apple.photo-editing`.
    public func extensions(for extensionPoint: String) -> [InstalledExtension] {
        extensions.filter { $0.extensionPoint == extensionPoint }
    }

    /// Launches an extension in its sandbox and returns when it has said hello. Cancelling the task ends the launch.
    ///
    /// - Parameters:
    ///   - identifier: the extension's bundle identifier.
    ///   - point: the extension point that the host expects, for example `com.apple.photo-editing`. An extension for
    ///     another point is refused with `BrokerError.Code.otherPoint`, for example one whose app was replaced since the
    ///     user chose it. nil: any point.
    ///   - timeLimit: for each request, where the host wants a tighter one than the extension point's; past it the
    ///     extension is ended.
    ///   - service: what the host answers when the extension asks something of it; nothing unless said.
    ///   - channel: changes the channel before it is made, for example its ring's capacities or how callers wait.
    /// - Throws: `HostError.refused` if the broker does not launch it, `HostError.ended` if it ended before it was ready:
    ///   the end says why; `HostError.taskCancelled` if the task was cancelled first.
    public nonisolated(nonsending) func begin(
        _ identifier: String, as point: String? = nil, timeLimit: Duration? = nil,
        serving service: HostService = HostService(),
        channel configure: (inout ChannelConfiguration) -> Void = { _ in }
    ) async throws(HostError) -> ExtensionSession {
        let wish = LaunchWish(identifier: identifier, point: point, timeLimit: timeLimit, hosted: service)
        let session = try await start(wish, for: .request, configure)
        try await session.becomeReady()
        return session
    }

    /// The same for code without Swift concurrency: blocks for no longer than the extension point's launch limit and
    /// the few milliseconds that building a sandbox takes; where as many run as may run at once, ten seconds more.
    public func beginAndWait(
        _ identifier: String, as point: String? = nil, timeLimit: Duration? = nil,
        serving service: HostService = HostService(),
        channel configure: (inout ChannelConfiguration) -> Void = { _ in }
    ) throws(HostError) -> ExtensionSession {
        let wish = LaunchWish(identifier: identifier, point: point, timeLimit: timeLimit, hosted: service)
        let session = try startAndWait(wish, for: .request, configure)
        try session.waitUntilReady()
        return session
    }

    /// Keeps extensions launched ahead, so that a request costs one message instead of a launch.
    ///
    /// - Parameters:
    ///   - identifier: the extension's bundle identifier.
    ///   - point: as in `begin`.
    ///   - bounds: how many are parked at least and at most. The lower bound stays through any rest, as far as there are
    ///     free places; the upper one should leave some of the policy's `instances` to others.
    ///   - timeLimit: as in `begin`, like the next two.
    /// - Throws: a `BrokerError` where no such extension is on offer, or a descriptor is lacking.
    public func standby(
        for identifier: String, as point: String? = nil, keeping bounds: ClosedRange<Int> = 0...4,
        timeLimit: Duration? = nil,
        serving hosted: HostService = HostService(),
        channel configure: @escaping @Sendable (inout ChannelConfiguration) -> Void = { _ in }
    ) throws(BrokerError) -> Standby {
        let terms = try service.terms(for: identifier)
        let wish = LaunchWish(identifier: identifier, point: point, timeLimit: timeLimit, hosted: hosted)
        do throws(SystemError) {
            return try Standby(wish, keeping: bounds, keepAlive: terms.keepAlive, on: self, configure)
        } catch {
            throw BrokerError(.system, "\(error)", place: identifier)
        }
    }

    // MARK: Launching

    /// Has an extension launched; it may not have said hello yet.
    nonisolated(nonsending) func start(
        _ wish: LaunchWish, for purpose: LaunchPurpose, _ configure: (inout ChannelConfiguration) -> Void
    ) async throws(HostError) -> ExtensionSession {
        do {
            let draft = try SessionDraft(wish, await service.askedTerms(for: wish.identifier), configure)
            let handle = try await service.askedLaunch(
                wish.identifier, as: wish.point, for: purpose, timeLimit: wish.timeLimit, channel: draft.descriptors,
                of: draft.endpoint, events: draft.events)
            return ExtensionSession(
                wish.identifier, handle, draft.link, draft.endpoint, patience: draft.patience, service: service,
                observer: observer)
        } catch {
            throw refused(wish.identifier, error)
        }
    }

    /// The same for code without Swift concurrency: waits on this thread for a broker that is a daemon.
    func startAndWait(
        _ wish: LaunchWish, for purpose: LaunchPurpose, _ configure: (inout ChannelConfiguration) -> Void
    ) throws(HostError) -> ExtensionSession {
        // The hello would come by that thread.
        guard (try? EventLoop.shared())?.isCurrent != true else { throw .onEventLoop }
        do {
            let draft = try SessionDraft(wish, service.terms(for: wish.identifier), configure)
            let handle = try service.launch(
                wish.identifier, as: wish.point, for: purpose, timeLimit: wish.timeLimit, channel: draft.descriptors,
                of: draft.endpoint, events: draft.events)
            return ExtensionSession(
                wish.identifier, handle, draft.link, draft.endpoint, patience: draft.patience, service: service,
                observer: observer)
        } catch {
            throw refused(wish.identifier, error)
        }
    }

    private func refused(_ identifier: String, _ error: any Error) -> HostError {
        let refusal = error as? BrokerError ?? BrokerError(.system, "\(error)", place: identifier)
        observer?.refused(identifier, refusal)
        return Task.isCancelled ? .taskCancelled : .refused(refusal)
    }
}
