@_exported public import AnnexBrokerAPI
public import AnnexChannel
internal import AnnexLinux
// With one `import AnnexHost`, the author of a host gets all types of the model and of the broker's answers.
@_exported public import AnnexModel
internal import Glibc

/// A host's access to its extensions. The host lists, installs and begins them through a broker.
///
/// `AnnexHost.embedded(apps:)` from the module AnnexEmbedded makes a host with a broker in its own process.
/// `connect(to:)` makes a host whose broker is the daemon `annexd`. All other methods are the same for both kinds of
/// host.
///
/// ```swift
/// let host = try AnnexHost.embedded(apps: ["Shout.app"])
/// let session = try await host.begin("com.example.shout.loud")
/// let answer = try await session.request([ExtensionItem(contentText: "hello")])
/// ```
public struct AnnexHost: Sendable {
    private let service: any BrokerService
    private var observer: (any HostObserver)?
    /// Announces the ends of the sessions of this host and of its copies.
    private let feed = Feed<SessionEnd>()
    /// The activation rules that this host and its copies have read through the broker.
    let rules = KeptRules()
    /// The table of types that this host and its copies have read through the broker.
    let kept = KeptTypes()
    /// The user's languages, the preferred language first, for example `["de-AT", "en"]`. Lists of extensions have
    /// names and summaries in these languages. The initial languages come from the environment
    /// (`UserLanguages.preferred`). Only the first 32 languages count.
    public var languages = UserLanguages.preferred

    package init(service: any BrokerService, observer: (any HostObserver)? = nil) {
        self.service = service
        self.observer = observer
    }

    /// The same host, with an observer of its launches, sessions and requests. A later observer replaces an earlier one.
    public func observed(by observer: any HostObserver) -> AnnexHost {
        var host = self
        host.observer = observer
        return host
    }

    /// Installs an app bundle and the extensions in its `PlugIns`.
    ///
    /// If other versions of the app are installed, the highest version is used, unless `pin(app:to:)` chose another
    /// version. An installed app with the same version is replaced. The extensions of a version that is not used have
    /// the verdict `superseded`.
    ///
    /// This function reads files. If the broker is a daemon, the call blocks this thread until the daemon answers, for
    /// two minutes at most. `remove`, `setEnabled`, `extensions` and `installed()` also block the thread, for half a
    /// minute at most.
    /// - Parameters:
    ///   - path: the bundle's directory, `Name.app`.
    ///   - granting: entitlements that the user grants, for example `com.apple.security.network.client`. Each extension
    ///     of the app gets the granted entitlements that it asks for. The grants of an earlier version stay if the
    ///     extension still asks for them.
    /// - Returns: the app's extensions. If an extension breaks a rule of packaging, it has a `rejection`, and the host
    ///   cannot begin it.
    /// - Throws: a `BrokerError` that names file, key and remedy if the app itself breaks a rule.
    @discardableResult
    public func install(
        app path: String, granting: [String] = []
    ) throws(BrokerError) -> [InstalledExtension] {
        try service.install(app: path, granting: granting)
    }

    /// Grants an entitlement to an extension that asks for it. Call this only if the user has agreed. The extension has
    /// the entitlement from its next launch on. The broker ends a parked process of the extension.
    ///
    /// - Parameters:
    ///   - entitlement: for example `com.apple.security.network.client`.
    ///   - identifier: the extension's bundle identifier.
    /// - Returns: the extension with its entitlements.
    /// - Throws: a `BrokerError` if no such extension is installed, or if it does not ask for this entitlement.
    @discardableResult
    public func grant(_ entitlement: String, to identifier: String) throws(BrokerError) -> InstalledExtension {
        try service.setGranted(true, entitlements: [entitlement], for: identifier)
    }

    /// Takes a granted entitlement back. A parked process of the extension is ended. A running process keeps the
    /// entitlement until its end.
    ///
    /// - Parameters:
    ///   - entitlement: for example `com.apple.security.network.client`.
    ///   - identifier: the extension's bundle identifier.
    /// - Returns: the extension with its entitlements.
    /// - Throws: a `BrokerError` if no such extension is installed, or if it does not ask for this entitlement.
    @discardableResult
    public func revoke(_ entitlement: String, from identifier: String) throws(BrokerError) -> InstalledExtension {
        try service.setGranted(false, entitlements: [entitlement], for: identifier)
    }

    /// Grants or revokes several entitlements as one change.
    package func setGranted(
        _ isGranted: Bool, entitlements: [String], for identifier: String
    ) throws(BrokerError) -> InstalledExtension {
        try service.setGranted(isGranted, entitlements: entitlements, for: identifier)
    }

    /// Chooses which installed version of an app is used from now on. A later installation of a higher version does not
    /// change this choice. Parked extensions of the version used until now end. A running extension continues if the
    /// chosen version contains it. Otherwise, it ends with the reason `removed`.
    ///
    /// - Parameters:
    ///   - identifier: the app's bundle identifier, for example `com.example.pictures`.
    ///   - version: the `CFBundleVersion` of the chosen version. It is the version in use, or one of the other versions
    ///     that `InstalledExtension.Build.otherVersions` lists.
    /// - Returns: the app's extensions.
    /// - Throws: a `BrokerError` if no such app or version is installed.
    @discardableResult
    public func pin(app identifier: String, to version: String) throws(BrokerError) -> [InstalledExtension] {
        try service.pin(app: identifier, to: version)
    }

    /// Ends the choice that `pin(app:to:)` made. From now on, the app's highest installed version is used again. If a
    /// higher version is installed later, that version is used.
    ///
    /// - Parameter identifier: the app's bundle identifier.
    /// - Returns: the app's extensions.
    /// - Throws: a `BrokerError` if no such app is installed.
    @discardableResult
    public func unpin(app identifier: String) throws(BrokerError) -> [InstalledExtension] {
        try service.pin(app: identifier, to: nil)
    }

    /// A sequence with one value for each change of the installed apps and extensions from now on. This host or another
    /// host of the same broker may make the change. Read `extensions` or `installed()` again after each value.
    public var changes: InstalledChanges { service.changes }

    /// A sequence of the ends of this host's sessions from now on. It also contains the ends of extensions that ended
    /// before they were ready, or while `standby` kept them parked. Read this property before the sessions begin,
    /// because the sequence contains no earlier ends.
    public var ends: SessionEnds { SessionEnds(following: feed) }

    /// Removes an app and its extensions. Running extensions of the app end with the reason `removed`.
    ///
    /// - Parameter identifier: the app's bundle identifier, for example `com.example.pictures`.
    /// - Throws: a `BrokerError` if no such app is installed.
    public func remove(app identifier: String) throws(BrokerError) {
        try service.remove(app: identifier)
    }

    /// Switches an extension on or off.
    ///
    /// An extension that is switched off is not listed in `extensions` and is not launched. If it runs, it ends with
    /// the reason `disabled`. The setting applies to this host's broker, until the extension's app is removed.
    ///
    /// - Parameters:
    ///   - isEnabled: false to switch the extension off.
    ///   - identifier: the extension's bundle identifier.
    /// - Throws: a `BrokerError` if no such extension is installed.
    public func setEnabled(_ isEnabled: Bool, for identifier: String) throws(BrokerError) {
        try service.setEnabled(isEnabled, for: identifier)
    }

    /// Starts the installed app whose `CFBundleURLTypes` register the scheme of a URL. The app runs as the user of the
    /// broker.
    ///
    /// The URL is the only argument of the app's program. The app runs outside of every sandbox, and outlives this
    /// host.
    /// - Parameter url: the URL, such as `todolist://add`; see `AppURL`.
    /// - Returns: the app's bundle identifier.
    /// - Throws: a `BrokerError`. Its code is `invalidURL` for an invalid URL. It is `unknownApp` if no app or more
    ///   than one app registers the scheme. It is `invalidBundle` if the app's program has changed.
    @discardableResult
    public func open(_ url: String) throws(BrokerError) -> String { try service.open(url) }

    /// Trusts the key of a team that signs apps. Call this only if the user has agreed.
    ///
    /// Without this call, Annex remembers the team of each app's first signed installation. After that, Annex accepts
    /// the app only if the same team has signed it.
    /// - Parameters:
    ///   - path: the file with the team's public key, such as `team.key.pub`.
    ///   - app: the bundle identifier of an app that the team may sign from now on, even if another team has signed it
    ///     so far. If `app` is nil, the team is trusted, but cannot replace another team's app.
    /// - Throws: a `BrokerError` if the file holds no public key, or if the broker cannot record the change.
    @discardableResult
    public func trust(keyFile path: String, for app: String? = nil) throws(BrokerError) -> SigningTeam {
        let key: String
        do throws(SystemError) {
            let file = try Descriptor.open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
            guard try file.status().kind == .regular else { throw SystemError("open", errno: EINVAL, path: path) }
            key = String(decoding: try file.readAll(atMost: 1 << 10), as: UTF8.self)
        } catch {
            throw BrokerError(.system, what: "\(error.cause)", place: path, remedy: error.remedy)
        }
        return try service.trust(key: key, for: app)
    }

    /// The extensions that this host can begin, sorted by identifier. Extensions that are switched off or rejected are
    /// not included.
    ///
    /// The list is also empty if the daemon does not answer or rejects the request. In that case, `installed()` throws
    /// the error.
    public var extensions: [InstalledExtension] { (try? service.extensions(in: languages)) ?? [] }

    /// All installed extensions, sorted by identifier. Extensions that are switched off or rejected are included. A
    /// program can show them to let its user choose.
    ///
    /// - Throws: a `BrokerError` if the daemon does not answer or rejects the request.
    public func installed() throws(BrokerError) -> [InstalledExtension] {
        try service.installed(in: languages)
    }

    /// The icon of an extension, in memory that no process can change.
    ///
    /// A share extension has the icon of its app. An action extension has the icon of its app as a template. Other
    /// extensions may have their own icon; without one, they have the icon of their app. The picture is untrusted, like
    /// all contents of a bundle, so decode it in a sandbox.
    ///
    /// The call blocks this thread as `installed()` does.
    /// - Parameter identifier: the extension's bundle identifier.
    /// - Returns: nil if neither the extension nor its app names an icon.
    /// - Throws: a `BrokerError` if no such extension is installed. Its code is `invalidBundle` if the icon's file is
    ///   missing, is not PNG, or is larger than 1 MiB or 1,024 pixels on a side.
    public func icon(of identifier: String) throws(BrokerError) -> ExtensionIcon? {
        try service.icon(of: identifier)
    }

    /// All keys and values of an extension's `NSExtensionAttributes`, including those that Annex does not know. The
    /// result is empty if the extension has no attributes.
    ///
    /// If the property list is XML, a date is a string. Otherwise, it is a number of seconds since 2001-01-01 00:00
    /// UTC. The call blocks this thread as `installed()` does.
    /// - Parameter identifier: the extension's bundle identifier.
    /// - Throws: a `BrokerError` if no such extension is installed. Its code is `invalidBundle` if `Info.plist` has
    ///   changed since the installation, or if the attributes do not fit in 160 KiB.
    public func attributes(of identifier: String) throws(BrokerError) -> [String: ItemValue] {
        try service.attributes(of: identifier)
    }

    /// The declarations of types in the `Info.plist` of the app that contains the extension.
    func typeDeclarations(of identifier: String) throws(BrokerError) -> [String: ItemValue] {
        try service.typeDeclarations(of: identifier)
    }

    /// The extensions in `extensions` that serve one extension point, for example `com.apple.photo-editing`.
    public func extensions(for extensionPoint: String) -> [InstalledExtension] {
        extensions.filter { $0.extensionPoint == extensionPoint }
    }

    /// Launches an extension in its sandbox, and returns a session when the extension is ready. Cancelling the task
    /// ends the launch.
    ///
    /// - Parameters:
    ///   - identifier: the extension's bundle identifier.
    ///   - point: the extension point that the host expects, for example `com.apple.photo-editing`; nil for any point.
    ///     An extension of another point is rejected with `BrokerError.Code.otherPoint`. For example, this happens if
    ///     the extension's app was replaced after the user chose the extension.
    ///   - timeLimit: the longest time for each request, if the host wants a shorter limit than the extension point's
    ///     limit. An extension that exceeds this limit is ended.
    ///   - origin: the host's own name for the source of this session's requests, for example a user of the host. It has
    ///     at most 256 bytes. If the requests of one origin end the extension several times in a row, `begin` with this
    ///     origin is rejected for a while, as `heldBack`. Other origins need not wait. If `origin` is nil, the ends of
    ///     the session delay no other session.
    ///   - service: the host's answers to the extension's own requests. The default service answers none.
    ///   - configure: changes the channel's configuration before the channel is made, for example the capacity of its
    ///     rings or how callers wait.
    /// - Throws: `HostError.rejected` if the broker does not launch the extension. `HostError.ended` if the extension
    ///   ended before it was ready; its value states the reason. `HostError.taskCancelled` if the task was cancelled
    ///   before the extension was ready.
    public nonisolated(nonsending) func begin(
        _ identifier: String, as point: String? = nil, timeLimit: Duration? = nil, origin: String? = nil,
        serving service: HostService = HostService(),
        channel configure: (inout ChannelConfiguration) -> Void = { _ in }
    ) async throws(HostError) -> ExtensionSession {
        let wish = LaunchWish(
            identifier: identifier, point: point, timeLimit: timeLimit, origin: origin, hosted: service)
        let session = try await start(wish, for: .request, configure)
        try await session.becomeReady()
        return session
    }

    /// Does the same as `begin`, for code without Swift concurrency. The call blocks the thread.
    ///
    /// The call takes at most the extension point's launch limit, and a few milliseconds more to build the sandbox. If
    /// all instance slots are taken, the call first waits for a slot. This wait lasts at most ten seconds, or at most
    /// the launch limit if the launch limit is longer.
    public func beginAndWait(
        _ identifier: String, as point: String? = nil, timeLimit: Duration? = nil, origin: String? = nil,
        serving service: HostService = HostService(),
        channel configure: (inout ChannelConfiguration) -> Void = { _ in }
    ) throws(HostError) -> ExtensionSession {
        let wish = LaunchWish(
            identifier: identifier, point: point, timeLimit: timeLimit, origin: origin, hosted: service)
        let session = try startAndWait(wish, for: .request, configure)
        try session.waitUntilReady()
        return session
    }

    /// Launches extensions ahead of requests, and keeps them parked. So a later request needs one message, but no
    /// launch.
    ///
    /// - Parameters:
    ///   - identifier: the extension's bundle identifier.
    ///   - point: as in `begin`.
    ///   - bounds: the fewest and the most extensions to keep parked. As long as instance slots are free, extensions
    ///     are launched up to the lower bound, even if no request comes. Choose an upper bound that leaves some of the
    ///     policy's `instances` for other sessions.
    ///   - timeLimit: as in `begin`.
    ///   - hosted: as `service` in `begin`.
    ///   - configure: as `channel` in `begin`.
    /// - Throws: a `BrokerError` if there is no such extension to begin, or if this process has no free file
    ///   descriptor.
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
            throw BrokerError(.system, what: "\(error)", place: identifier)
        }
    }

    // MARK: Launching

    /// Launches an extension, and returns before the extension has said hello.
    nonisolated(nonsending) func start(
        _ wish: LaunchWish, for purpose: LaunchPurpose, _ configure: (inout ChannelConfiguration) -> Void
    ) async throws(HostError) -> ExtensionSession {
        do {
            try wish.checkOrigin()
            let draft = try SessionDraft(wish, terms: await service.askedTerms(for: wish.identifier), configure)
            let handle = try await service.askedLaunch(
                wish.identifier, as: wish.point, for: purpose, timeLimit: wish.timeLimit, origin: wish.origin,
                channel: draft.descriptors, of: draft.endpoint, events: draft.events)
            return ExtensionSession(
                wish.identifier, handle: handle, link: draft.link, channel: draft.endpoint, patience: draft.patience,
                hasOrigin: wish.origin != nil, service: service, observer: observer, ends: feed)
        } catch {
            throw rejected(wish.identifier, error: error)
        }
    }

    /// Does the same as `start`, for code without Swift concurrency. The call blocks the thread until a daemon answers.
    func startAndWait(
        _ wish: LaunchWish, for purpose: LaunchPurpose, _ configure: (inout ChannelConfiguration) -> Void
    ) throws(HostError) -> ExtensionSession {
        // The hello arrives on the event loop's thread. If that thread waited for the hello, the wait would never end.
        guard (try? EventLoop.shared())?.isCurrent != true else { throw .onEventLoop }
        do {
            try wish.checkOrigin()
            let draft = try SessionDraft(wish, terms: service.terms(for: wish.identifier), configure)
            let handle = try service.launch(
                wish.identifier, as: wish.point, for: purpose, timeLimit: wish.timeLimit, origin: wish.origin,
                channel: draft.descriptors, of: draft.endpoint, events: draft.events)
            return ExtensionSession(
                wish.identifier, handle: handle, link: draft.link, channel: draft.endpoint, patience: draft.patience,
                hasOrigin: wish.origin != nil, service: service, observer: observer, ends: feed)
        } catch {
            throw rejected(wish.identifier, error: error)
        }
    }

    private func rejected(_ identifier: String, error: any Error) -> HostError {
        let rejection = error as? BrokerError ?? BrokerError(.system, what: "\(error)", place: identifier)
        observer?.rejected(identifier, error: rejection)
        return Task.isCancelled ? .taskCancelled : .rejected(rejection)
    }
}
