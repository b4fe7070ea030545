@_exported public import AnnexBrokerAPI
public import AnnexChannel
internal import AnnexLinux
// One `import AnnexHost` gives a host's author all types of the model and of the broker's answers.
@_exported public import AnnexModel
internal import Glibc

/// A host's access to its extensions: it lists, installs and begins them through a broker.
///
/// `AnnexHost.embedded(apps:)` from the module AnnexEmbedded makes a host with a broker in its own process.
/// `connect(to:)` makes one whose broker is the daemon `annexd`. All other methods are the same for both.
///
/// ```swift
/// let host = try AnnexHost.embedded(apps: ["Shout.app"])
/// let session = try await host.begin("com.example.shout.loud")
/// let answer = try await session.request([ExtensionItem(contentText: "hello")])
/// ```
public struct AnnexHost: Sendable {
    private let service: any BrokerService
    private var observer: (any HostObserver)?
    /// Announces the ends of the sessions, also of those of the copies of this host.
    private let feed = Feed<SessionEnd>()
    /// The activation rules that were read through this broker.
    let rules = KeptRules()
    /// The types that were read through this broker.
    let kept = KeptTypes()
    /// The user's languages, the preferred one first, for example `["de-AT", "en"]`. Lists have names and summaries in
    /// these languages. At first they are those of the environment (`UserLanguages.preferred`). Only the first 32 count.
    public var languages = UserLanguages.preferred

    package init(service: any BrokerService, observer: (any HostObserver)? = nil) {
        self.service = service
        self.observer = observer
    }

    /// The same host, with an observer of its launches, sessions and requests.
    package func observed(by observer: any HostObserver) -> AnnexHost {
        var host = self
        host.observer = observer
        return host
    }

    /// Installs an app bundle and the extensions in its `PlugIns`.
    ///
    /// If other versions of the app are installed, the highest one is used, unless `pin(app:to:)` chose another. The
    /// same version is replaced. The extensions of a version that is not used have the verdict `superseded`.
    ///
    /// Reads files. If the broker is a daemon, it blocks this thread until the daemon answers, for two minutes at most.
    /// `remove`, `setEnabled`, `extensions` and `installed()` block likewise, for half a minute at most.
    /// - Parameters:
    ///   - path: the bundle's directory, `Name.app`.
    ///   - granting: entitlements that the user grants to those of the app's extensions that ask for them, for example
    ///     `com.apple.security.network.client`. The grants of an earlier version stay, if the extension still asks.
    /// - Returns: the app's extensions. An extension that breaks a rule of packaging has a `rejection`, and cannot be
    ///   begun.
    /// - Throws: a `BrokerError` that names file, key and remedy if the app itself breaks a rule.
    @discardableResult
    public func install(
        app path: String, granting: [String] = []
    ) throws(BrokerError) -> [InstalledExtension] {
        try service.install(app: path, granting: granting)
    }

    /// Grants an entitlement to an extension that asks for it. Only do this if the user has said so. The extension has it
    /// from its next launch on. A parked process of it is ended.
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

    /// Takes a granted entitlement back. A parked process of the extension is ended, and a running one keeps the
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

    /// Uses one installed version of an app from now on, also if a later installation brings a higher one. Extensions of
    /// the version that was used until now end as after an update.
    ///
    /// - Parameters:
    ///   - identifier: the app's bundle identifier, for example `com.example.pictures`.
    ///   - version: the `CFBundleVersion` of the app: one of `otherVersions` of its extensions, or the present one.
    /// - Returns: the app's extensions.
    /// - Throws: a `BrokerError` if no such app or version is installed.
    @discardableResult
    public func pin(app identifier: String, to version: String) throws(BrokerError) -> [InstalledExtension] {
        try service.pin(app: identifier, to: version)
    }

    /// Ends the choice of a version: the app's highest installed version is used again, and later higher ones.
    ///
    /// - Parameter identifier: the app's bundle identifier.
    /// - Returns: the app's extensions.
    /// - Throws: a `BrokerError` if no such app is installed.
    @discardableResult
    public func unpin(app identifier: String) throws(BrokerError) -> [InstalledExtension] {
        try service.pin(app: identifier, to: nil)
    }

    /// A sequence with one value for each later change of the installed apps and extensions, by this host or by another
    /// host of the same broker. Read `extensions` or `installed()` again after each value.
    public var changes: InstalledChanges { service.changes }

    /// A sequence of the ends of this host's sessions from now on, also of extensions that ended before they were ready or
    /// while `standby` kept them parked. Begin to follow it before the sessions begin.
    public var ends: SessionEnds { SessionEnds(following: feed) }

    /// Removes an app and its extensions. Running ones end with the reason `removed`.
    ///
    /// - Parameter identifier: the app's bundle identifier, for example `com.example.pictures`.
    /// - Throws: a `BrokerError` if no such app is installed.
    public func remove(app identifier: String) throws(BrokerError) {
        try service.remove(app: identifier)
    }

    /// Switches an extension on or off.
    ///
    /// An extension that is switched off is not listed in `extensions` and not launched. If it runs, it ends with the
    /// reason `disabled`. The setting holds for this host's broker, until the extension's app is removed.
    ///
    /// - Parameters:
    ///   - isEnabled: false to switch it off.
    ///   - identifier: the extension's bundle identifier.
    /// - Throws: a `BrokerError` if no such extension is installed.
    public func setEnabled(_ isEnabled: Bool, for identifier: String) throws(BrokerError) {
        try service.setEnabled(isEnabled, for: identifier)
    }

    /// Starts the installed app that registers the scheme of a URL (`CFBundleURLTypes`), as the user of the broker.
    ///
    /// The URL is the only argument of the app's program. The app runs outside of every sandbox, and outlives this host.
    /// - Parameter url: such as `todolist://add`; see `AppURL`.
    /// - Returns: the app's bundle identifier.
    /// - Throws: a `BrokerError`: `invalidURL`; `unknownApp` if no app or more than one registers the scheme; `invalidBundle` if the
    ///   app's program has changed.
    @discardableResult
    public func open(_ url: String) throws(BrokerError) -> String { try service.open(url) }

    /// Trusts the key of a team that signs apps. Only do this if the user has said so.
    ///
    /// Without it, Annex remembers the team of each app's first signed installation, and then accepts that app only from
    /// the same team.
    /// - Parameters:
    ///   - path: the file with the team's public key, such as `team.key.pub`.
    ///   - app: the bundle identifier of an app that the team may sign from now on, whichever team has signed it so far.
    ///     If nil, the team is trusted, but cannot replace another team's app.
    /// - Throws: a `BrokerError` if the file holds no public key, or if the broker cannot keep the change.
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

    /// The extensions that this host can begin, sorted by identifier. It leaves out those that are switched off or
    /// rejected.
    ///
    /// Empty also if the daemon does not answer or rejects the request; `installed()` throws the error in that case.
    public var extensions: [InstalledExtension] { (try? service.extensions(in: languages)) ?? [] }

    /// All installed extensions, sorted by identifier, also those that are switched off or rejected. A program can show
    /// them to let its user choose.
    ///
    /// - Throws: a `BrokerError` if the daemon does not answer or rejects the request.
    public func installed() throws(BrokerError) -> [InstalledExtension] {
        try service.installed(in: languages)
    }

    /// The icon of an extension, in memory that no process can change.
    ///
    /// A share extension has the icon of its app, and an action has that icon as a template. Other extensions may bring an
    /// icon of their own; without one, they have their app's. The picture is as hostile as everything in a bundle, so
    /// decode it in a sandbox.
    ///
    /// It blocks this thread as `installed()` does.
    /// - Parameter identifier: the extension's bundle identifier.
    /// - Returns: nil if neither the extension nor its app names an icon.
    /// - Throws: a `BrokerError` if no such extension is installed. Its code is `invalidBundle` if the icon is missing, is not
    ///   PNG, or is larger than 1 MiB or 1,024 pixels on a side.
    public func icon(of identifier: String) throws(BrokerError) -> ExtensionIcon? {
        try service.icon(of: identifier)
    }

    /// All keys and values of an extension's `NSExtensionAttributes`, also those that Annex does not know. Empty if the
    /// extension has none.
    ///
    /// A date is a string if the property list is XML, and otherwise a number of seconds since 2001-01-01 00:00 UTC. It
    /// blocks this thread as `installed()` does.
    /// - Parameter identifier: the extension's bundle identifier.
    /// - Throws: a `BrokerError` if no such extension is installed. Its code is `invalidBundle` if `Info.plist` has changed
    ///   since the installation, or if the attributes do not fit in 160 KiB.
    public func attributes(of identifier: String) throws(BrokerError) -> [String: ItemValue] {
        try service.attributes(of: identifier)
    }

    /// The keys of the `Info.plist` of an extension's app that declare types.
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
    ///     An extension of another point is rejected with `BrokerError.Code.otherPoint`. That happens, for example, if
    ///     its app was replaced since the user chose it.
    ///   - timeLimit: the longest time for each request, if the host wants a shorter one than the extension point's. An
    ///     extension that exceeds it is ended.
    ///   - service: the host's answers to the extension's own requests; none by default.
    ///   - configure: changes the channel's configuration before the channel is made, for example the capacity of its
    ///     rings or how callers wait.
    /// - Throws: `HostError.rejected` if the broker does not launch the extension. `HostError.ended` if the extension
    ///   ended before it was ready; its value says why. `HostError.taskCancelled` if the task was cancelled first.
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

    /// The same for code without Swift concurrency: it blocks the thread.
    ///
    /// It takes the extension point's launch limit at most, and a few milliseconds to build the sandbox. If all
    /// instance slots are taken, it waits up to ten seconds more, or up to the launch limit if that is longer.
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

    /// Keeps extensions launched ahead of requests, so that a request costs one message instead of a launch.
    ///
    /// - Parameters:
    ///   - identifier: the extension's bundle identifier.
    ///   - point: as in `begin`.
    ///   - bounds: the fewest and the most extensions to keep parked. The lower bound is kept up as long as slots are
    ///     free, even if no request comes. Choose an upper bound that leaves some of the policy's `instances` to other
    ///     sessions.
    ///   - timeLimit: as in `begin`.
    ///   - hosted: as `service` in `begin`.
    ///   - configure: as `channel` in `begin`.
    /// - Throws: a `BrokerError` if there is no such extension to begin, or if this process has no file descriptor
    ///   left.
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

    /// Launches an extension; returns before its hello.
    nonisolated(nonsending) func start(
        _ wish: LaunchWish, for purpose: LaunchPurpose, _ configure: (inout ChannelConfiguration) -> Void
    ) async throws(HostError) -> ExtensionSession {
        do {
            let draft = try SessionDraft(wish, terms: await service.askedTerms(for: wish.identifier), configure)
            let handle = try await service.askedLaunch(
                wish.identifier, as: wish.point, for: purpose, timeLimit: wish.timeLimit, channel: draft.descriptors,
                of: draft.endpoint, events: draft.events)
            return ExtensionSession(
                wish.identifier, handle: handle, link: draft.link, channel: draft.endpoint, patience: draft.patience,
                service: service, observer: observer, ends: feed)
        } catch {
            throw rejected(wish.identifier, error: error)
        }
    }

    /// The same for code without Swift concurrency: it blocks the thread while a daemon answers.
    func startAndWait(
        _ wish: LaunchWish, for purpose: LaunchPurpose, _ configure: (inout ChannelConfiguration) -> Void
    ) throws(HostError) -> ExtensionSession {
        // The hello arrives on the event loop's thread, so waiting for it there would never end.
        guard (try? EventLoop.shared())?.isCurrent != true else { throw .onEventLoop }
        do {
            let draft = try SessionDraft(wish, terms: service.terms(for: wish.identifier), configure)
            let handle = try service.launch(
                wish.identifier, as: wish.point, for: purpose, timeLimit: wish.timeLimit, channel: draft.descriptors,
                of: draft.endpoint, events: draft.events)
            return ExtensionSession(
                wish.identifier, handle: handle, link: draft.link, channel: draft.endpoint, patience: draft.patience,
                service: service, observer: observer, ends: feed)
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
