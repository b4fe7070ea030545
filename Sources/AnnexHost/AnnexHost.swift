public import AnnexChannel
internal import AnnexLinux
public import AnnexService

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
    /// - Parameter path: the bundle's directory, `Name.app`.
    /// - Throws: a `ServiceError` that names file, key and mend when the bundle breaks a rule of packaging.
    @discardableResult
    public func install(app path: String) throws(ServiceError) -> [InstalledExtension] {
        try service.install(app: path)
    }

    /// Takes an app out, with the extensions in it; those that run end as `removed`.
    ///
    /// - Parameter identifier: the app's bundle identifier, for example `com.example.pictures`.
    /// - Throws: a `ServiceError` where no such app is installed.
    public func remove(app identifier: String) throws(ServiceError) {
        try service.remove(app: identifier)
    }

    /// Switches an extension on or off. One that is off is not offered and not launched; where it runs, it ends as
    /// `disabled`. Holds for this host's broker and until its app is removed.
    ///
    /// - Parameter identifier: the extension's bundle identifier.
    /// - Throws: a `ServiceError` where no such extension is installed.
    public func setEnabled(_ isEnabled: Bool, for identifier: String) throws(ServiceError) {
        try service.setEnabled(isEnabled, for: identifier)
    }

    /// The extensions on offer, by identifier; not those that are switched off. None where the daemon has gone or
    /// refuses to say: `installed()` tells the two from each other.
    public var extensions: [InstalledExtension] { (try? service.extensions) ?? [] }

    /// Everything that is installed, by identifier, also what is switched off: for who lets a user choose.
    ///
    /// - Throws: a `ServiceError` where the daemon does not answer or refuses.
    public func installed() throws(ServiceError) -> [InstalledExtension] { try service.installed }

    /// The extensions on offer for one extension point, for example `com.apple.photo-editing`.
    public func extensions(for extensionPoint: String) -> [InstalledExtension] {
        extensions.filter { $0.extensionPoint == extensionPoint }
    }

    /// Launches an extension in its sandbox and returns when it has said hello.
    ///
    /// - Parameters:
    ///   - identifier: the extension's bundle identifier.
    ///   - point: the extension point that the host expects, for example `com.apple.photo-editing`. An extension for
    ///     another point is refused with `ServiceError.Code.otherPoint`, for example one whose app was replaced since the
    ///     user chose it. nil: any point.
    ///   - timeLimit: for each request, where the host wants a tighter one than the extension point's; past it the
    ///     extension is ended.
    ///   - service: what the host answers when the extension asks something of it; nothing unless said.
    ///   - channel: changes the channel before it is made, for example its ring's capacities or how callers wait.
    /// - Throws: `HostError.refused` when the broker does not launch it, `HostError.ended` when it ended before it was
    ///   ready; the end says why.
    public func begin(
        _ identifier: String, as point: String? = nil, timeLimit: Duration? = nil,
        serving service: HostService = HostService(),
        channel configure: (inout ChannelConfiguration) -> Void = { _ in }
    ) async throws(HostError) -> ExtensionSession {
        let session = try start(identifier, as: point, for: .request, timeLimit, service, configure)
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
        let session = try start(identifier, as: point, for: .request, timeLimit, service, configure)
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
    /// - Throws: a `ServiceError` where no such extension is on offer, or a descriptor is lacking.
    public func standby(
        for identifier: String, as point: String? = nil, keeping bounds: ClosedRange<Int> = 0...4,
        timeLimit: Duration? = nil,
        serving hosted: HostService = HostService(),
        channel configure: @escaping @Sendable (inout ChannelConfiguration) -> Void = { _ in }
    ) throws(ServiceError) -> Standby {
        let terms = try service.terms(for: identifier)
        do throws(SystemError) {
            return try Standby(identifier, keeping: bounds, keepAlive: terms.keepAlive) { purpose throws(HostError) in
                try start(identifier, as: point, for: purpose, timeLimit, hosted, configure)
            }
        } catch {
            throw ServiceError(.system, "\(error)", place: identifier)
        }
    }

    private func start(
        _ identifier: String, as point: String?, for purpose: LaunchPurpose, _ timeLimit: Duration?,
        _ hosted: HostService, _ configure: (inout ChannelConfiguration) -> Void
    ) throws(HostError) -> ExtensionSession {
        let refusal: ServiceError
        do {
            return try ExtensionSession(
                identifier, as: point, for: purpose, timeLimit: timeLimit, serving: hosted, configure, service: service,
                observer: observer)
        } catch let error as ServiceError {
            refusal = error
        } catch {
            refusal = ServiceError(.system, "\(error)", place: identifier)
        }
        observer?.refused(identifier, refusal)
        throw .refused(refusal)
    }
}
