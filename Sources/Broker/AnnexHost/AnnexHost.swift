@_exported public import AnnexBrokerAPI
public import AnnexChannel
internal import AnnexLinux
// With one `import AnnexHost`, the author of a host gets all types of the model and of the broker's answers.
@_exported public import AnnexModel
internal import Glibc
internal import Synchronization

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
///
/// Methods that wait are `async`. Most have a second form whose name ends in `AndWait`, which blocks the thread. If a task
/// is cancelled while it waits for a list or a change, the call goes on. So the task learns whether the change was made.
public struct AnnexHost: Sendable {
    private let service: any BrokerService
    private var observer: (any HostObserver)?
    /// Announces the ends of the sessions of this host and of its copies.
    private let feed = Feed<SessionEnd>()
    /// The activation rules that this host and its copies have read through the broker.
    let rules = KeptRules()
    /// The table of types that this host and its copies have read through the broker.
    let kept = KeptTypes()
    /// The calls of tasks that this host and its copies make, one after another in each row. So a list does not wait for
    /// an installation, and a daemon that does not answer keeps two threads busy at most.
    private let reads = Lane.Row(of: .slow)
    private let edits = Lane.Row(of: .slow)
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
    /// A daemon has two minutes to answer. It has half a minute to answer any other call. A call also waits for earlier
    /// calls of this host. Calls that read wait only for calls that read, and changes only for changes.
    /// - Parameters:
    ///   - path: the bundle's directory, `Name.app`.
    ///   - granting: entitlements that the user grants, for example `com.apple.security.network.client`. Each extension
    ///     of the app gets the granted entitlements that it asks for. The grants of an earlier version stay if the
    ///     extension still asks for them.
    /// - Returns: the app's extensions. If an extension breaks a rule of packaging, it has a `rejection`, and the host
    ///   cannot begin it.
    /// - Throws: a `BrokerError` that names file, key and remedy if the app itself breaks a rule.
    @discardableResult
    public nonisolated(nonsending) func install(
        app path: String, granting: [String] = []
    ) async throws(BrokerError) -> [InstalledExtension] {
        try await changing { () throws(BrokerError) in try installAndWait(app: path, granting: granting) }
    }

    /// Does the same as `install`, for code without Swift concurrency. The call blocks the thread.
    @discardableResult
    public func installAndWait(
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
    ///   - hosts: the machines to which `com.apple.security.network.client` is limited, in place of those of an earlier
    ///     grant: names with or without a port (`feed.example.org:443`), all names of a domain (`*.example.org`), or
    ///     addresses. If there are none, the grant is for all other machines.
    /// - Returns: the extension with its entitlements.
    /// - Throws: a `BrokerError` if no such extension is installed, if it does not ask for this entitlement, or if a
    ///   machine is wrong.
    @discardableResult
    public nonisolated(nonsending) func grant(
        _ entitlement: String, to identifier: String, hosts: [String] = []
    ) async throws(BrokerError) -> InstalledExtension {
        try await changing { () throws(BrokerError) in try grantAndWait(entitlement, to: identifier, hosts: hosts) }
    }

    /// Does the same as `grant`, for code without Swift concurrency. The call blocks the thread.
    @discardableResult
    public func grantAndWait(
        _ entitlement: String, to identifier: String, hosts: [String] = []
    ) throws(BrokerError) -> InstalledExtension {
        try service.setGranted(true, entitlements: [entitlement], hosts: hosts, for: identifier)
    }

    /// Takes a granted entitlement back. A parked process of the extension is ended. A running process keeps the
    /// entitlement until its end, with one exception: it loses the machines that the grant named, and its connections to
    /// them.
    ///
    /// - Parameters:
    ///   - entitlement: for example `com.apple.security.network.client`.
    ///   - identifier: the extension's bundle identifier.
    ///   - hosts: the machines to take back of those that the grant names. The entitlement is revoked if none remains. If
    ///     `hosts` is empty, the whole entitlement is taken back.
    /// - Returns: the extension with its entitlements.
    /// - Throws: a `BrokerError` if no such extension is installed, if it does not ask for this entitlement, or if the
    ///   grant does not name one of the machines.
    @discardableResult
    public nonisolated(nonsending) func revoke(
        _ entitlement: String, from identifier: String, hosts: [String] = []
    ) async throws(BrokerError) -> InstalledExtension {
        try await changing { () throws(BrokerError) in try revokeAndWait(entitlement, from: identifier, hosts: hosts) }
    }

    /// Does the same as `revoke`, for code without Swift concurrency. The call blocks the thread.
    @discardableResult
    public func revokeAndWait(
        _ entitlement: String, from identifier: String, hosts: [String] = []
    ) throws(BrokerError) -> InstalledExtension {
        try service.setGranted(false, entitlements: [entitlement], hosts: hosts, for: identifier)
    }

    /// Grants or revokes several entitlements as one change. The call blocks the thread.
    package func setGrantedAndWait(
        _ isGranted: Bool, entitlements: [String], hosts: [String], for identifier: String
    ) throws(BrokerError) -> InstalledExtension {
        try service.setGranted(isGranted, entitlements: entitlements, hosts: hosts, for: identifier)
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
    public nonisolated(nonsending) func pin(
        app identifier: String, to version: String
    ) async throws(BrokerError) -> [InstalledExtension] {
        try await changing { () throws(BrokerError) in try pinAndWait(app: identifier, to: version) }
    }

    /// Does the same as `pin`, for code without Swift concurrency. The call blocks the thread.
    @discardableResult
    public func pinAndWait(app identifier: String, to version: String) throws(BrokerError) -> [InstalledExtension] {
        try service.pin(app: identifier, to: version)
    }

    /// Ends the choice that `pin(app:to:)` made. From now on, the app's highest installed version is used again. If a
    /// higher version is installed later, that version is used.
    ///
    /// - Parameter identifier: the app's bundle identifier.
    /// - Returns: the app's extensions.
    /// - Throws: a `BrokerError` if no such app is installed.
    @discardableResult
    public nonisolated(nonsending) func unpin(
        app identifier: String
    ) async throws(BrokerError) -> [InstalledExtension] {
        try await changing { () throws(BrokerError) in try unpinAndWait(app: identifier) }
    }

    /// Does the same as `unpin`, for code without Swift concurrency. The call blocks the thread.
    @discardableResult
    public func unpinAndWait(app identifier: String) throws(BrokerError) -> [InstalledExtension] {
        try service.pin(app: identifier, to: nil)
    }

    /// A sequence with one value for each change of the installed apps and extensions from now on. This host or another
    /// host of the same broker may make the change. Read `extensions()` or `installed()` again after each value.
    public var changes: InstalledChanges { service.changes }

    /// A sequence of the ends of this host's sessions from now on. It also contains the ends of extensions that ended
    /// before they were ready, or while `standby` kept them parked. Read this property before the sessions begin,
    /// because the sequence contains no earlier ends.
    public var ends: SessionEnds { SessionEnds(following: feed) }

    /// Removes an app and its extensions. Running extensions of the app end with the reason `removed`.
    ///
    /// - Parameter identifier: the app's bundle identifier, for example `com.example.pictures`.
    /// - Throws: a `BrokerError` if no such app is installed.
    public nonisolated(nonsending) func remove(app identifier: String) async throws(BrokerError) {
        try await changing { () throws(BrokerError) in try removeAndWait(app: identifier) }
    }

    /// Does the same as `remove`, for code without Swift concurrency. The call blocks the thread.
    public func removeAndWait(app identifier: String) throws(BrokerError) {
        try service.remove(app: identifier)
    }

    /// Switches an extension on or off.
    ///
    /// An extension that is switched off is not listed in `extensions()` and is not launched. If it runs, it ends with
    /// the reason `disabled`. The setting applies to this host's broker, until the extension's app is removed.
    ///
    /// - Parameters:
    ///   - isEnabled: false to switch the extension off.
    ///   - identifier: the extension's bundle identifier.
    /// - Throws: a `BrokerError` if no such extension is installed.
    public nonisolated(nonsending) func setEnabled(
        _ isEnabled: Bool, for identifier: String
    ) async throws(BrokerError) {
        try await changing { () throws(BrokerError) in try setEnabledAndWait(isEnabled, for: identifier) }
    }

    /// Does the same as `setEnabled`, for code without Swift concurrency. The call blocks the thread.
    public func setEnabledAndWait(_ isEnabled: Bool, for identifier: String) throws(BrokerError) {
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
    public nonisolated(nonsending) func open(_ url: String) async throws(BrokerError) -> String {
        try await changing { () throws(BrokerError) in try openAndWait(url) }
    }

    /// Does the same as `open`, for code without Swift concurrency. The call blocks the thread.
    @discardableResult
    public func openAndWait(_ url: String) throws(BrokerError) -> String {
        try service.open(url)
    }

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
    public nonisolated(nonsending) func trust(
        keyFile path: String, for app: String? = nil
    ) async throws(BrokerError) -> SigningTeam {
        try await changing { () throws(BrokerError) in try trustAndWait(keyFile: path, for: app) }
    }

    /// Does the same as `trust`, for code without Swift concurrency. The call blocks the thread.
    @discardableResult
    public func trustAndWait(keyFile path: String, for app: String? = nil) throws(BrokerError) -> SigningTeam {
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
    public nonisolated(nonsending) func extensions() async -> [InstalledExtension] {
        (try? await reading { () throws(BrokerError) in try service.extensions(in: languages) }) ?? []
    }

    /// Does the same as `extensions`, for code without Swift concurrency. The call blocks the thread.
    public func extensionsAndWait() -> [InstalledExtension] { (try? service.extensions(in: languages)) ?? [] }

    /// All installed extensions, sorted by identifier. Extensions that are switched off or rejected are included. A
    /// program can show them to let its user choose.
    ///
    /// - Throws: a `BrokerError` if the daemon does not answer or rejects the request.
    public nonisolated(nonsending) func installed() async throws(BrokerError) -> [InstalledExtension] {
        try await reading { () throws(BrokerError) in try installedAndWait() }
    }

    /// Does the same as `installed`, for code without Swift concurrency. The call blocks the thread.
    public func installedAndWait() throws(BrokerError) -> [InstalledExtension] {
        try service.installed(in: languages)
    }

    /// The icon of an extension, in memory that no process can change.
    ///
    /// A share extension has the icon of its app. An action extension has the icon of its app as a template. Other
    /// extensions may have their own icon; without one, they have the icon of their app. The picture is untrusted, like
    /// all contents of a bundle, so decode it in a sandbox.
    ///
    /// - Parameter identifier: the extension's bundle identifier.
    /// - Returns: nil if neither the extension nor its app names an icon.
    /// - Throws: a `BrokerError` if no such extension is installed. Its code is `invalidBundle` if the icon's file is
    ///   missing, is not PNG, or is larger than 1 MiB or 1,024 pixels on a side.
    public nonisolated(nonsending) func icon(of identifier: String) async throws(BrokerError) -> ExtensionIcon? {
        // A task cannot be resumed with an icon, because an icon is not copyable.
        let icon = Mutex<ExtensionIcon?>(nil)
        try await reading { () throws(BrokerError) in
            var read = try service.icon(of: identifier)
            icon.withLock { swap(&$0, &read) }
        }
        return icon.withLock { $0.take() }
    }

    /// Does the same as `icon`, for code without Swift concurrency. The call blocks the thread.
    public func iconAndWait(of identifier: String) throws(BrokerError) -> ExtensionIcon? {
        try service.icon(of: identifier)
    }

    /// All keys and values of an extension's `NSExtensionAttributes`, including those that Annex does not know. The
    /// result is empty if the extension has no attributes.
    ///
    /// If the property list is XML, a date is a string. Otherwise, it is a number of seconds since 2001-01-01 00:00
    /// UTC.
    /// - Parameter identifier: the extension's bundle identifier.
    /// - Throws: a `BrokerError` if no such extension is installed. Its code is `invalidBundle` if `Info.plist` has
    ///   changed since the installation, or if the attributes do not fit in 160 KiB.
    public nonisolated(nonsending) func attributes(
        of identifier: String
    ) async throws(BrokerError) -> [String: ItemValue] {
        try await reading { () throws(BrokerError) in try attributesAndWait(of: identifier) }
    }

    /// Does the same as `attributes`, for code without Swift concurrency. The call blocks the thread.
    public func attributesAndWait(of identifier: String) throws(BrokerError) -> [String: ItemValue] {
        try service.attributes(of: identifier)
    }

    /// How a background transfer goes on, of which an extension put a receipt into its answer. The host learns how many
    /// bytes have moved and how the transfer ended, and neither its URL nor its contents.
    ///
    /// - Throws: a `BrokerError` if the receipt is older than 24 hours, or is not of this user's daemon.
    public nonisolated(nonsending) func progress(of receipt: TransferReceipt) async throws(BrokerError)
        -> TransferReport
    {
        try await reading { () throws(BrokerError) in try progressAndWait(of: receipt) }
    }

    /// Does the same as `progress`, for code without Swift concurrency. The call blocks the thread.
    public func progressAndWait(of receipt: TransferReceipt) throws(BrokerError) -> TransferReport {
        if let report = TransferReport(try service.transfers(.report(receipt))) { return report }
        throw BrokerError(.unreachable, what: "gave an answer that this version does not know", place: "annexd")
    }

    package func transfersAndWait(_ request: TransferRequest) throws(BrokerError) -> [String: ItemValue] {
        try service.transfers(request)
    }

    /// The declarations of types in the `Info.plist` of the app that contains the extension. The call blocks the thread.
    func typeDeclarations(of identifier: String) throws(BrokerError) -> [String: ItemValue] {
        try service.typeDeclarations(of: identifier)
    }

    /// The extensions in `extensions()` that serve one extension point, for example `com.apple.photo-editing`.
    public nonisolated(nonsending) func extensions(for extensionPoint: String) async -> [InstalledExtension] {
        await extensions().filter { $0.extensionPoint == extensionPoint }
    }

    /// Does the same as `extensions(for:)`, for code without Swift concurrency. The call blocks the thread.
    public func extensionsAndWait(for extensionPoint: String) -> [InstalledExtension] {
        extensionsAndWait().filter { $0.extensionPoint == extensionPoint }
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
    public nonisolated(nonsending) func standby(
        for identifier: String, as point: String? = nil, keeping bounds: ClosedRange<Int> = 0...4,
        timeLimit: Duration? = nil,
        serving hosted: HostService = HostService(),
        channel configure: @escaping @Sendable (inout ChannelConfiguration) -> Void = { _ in }
    ) async throws(BrokerError) -> Standby {
        let terms = try await reading { () throws(BrokerError) in try service.terms(for: identifier) }
        let wish = LaunchWish(identifier: identifier, point: point, timeLimit: timeLimit, hosted: hosted)
        return try standby(wish, keeping: bounds, terms: terms, channel: configure)
    }

    /// Does the same as `standby`, for code without Swift concurrency. The call blocks the thread.
    public func standbyAndWait(
        for identifier: String, as point: String? = nil, keeping bounds: ClosedRange<Int> = 0...4,
        timeLimit: Duration? = nil,
        serving hosted: HostService = HostService(),
        channel configure: @escaping @Sendable (inout ChannelConfiguration) -> Void = { _ in }
    ) throws(BrokerError) -> Standby {
        let terms = try service.terms(for: identifier)
        let wish = LaunchWish(identifier: identifier, point: point, timeLimit: timeLimit, hosted: hosted)
        return try standby(wish, keeping: bounds, terms: terms, channel: configure)
    }

    private func standby(
        _ wish: LaunchWish, keeping bounds: ClosedRange<Int>, terms: SessionTerms,
        channel configure: @escaping @Sendable (inout ChannelConfiguration) -> Void
    ) throws(BrokerError) -> Standby {
        do throws(SystemError) {
            return try Standby(wish, keeping: bounds, keepAlive: terms.keepAlive, on: self, configure)
        } catch {
            throw BrokerError(.system, what: "\(error)", place: wish.identifier)
        }
    }

    // MARK: Calls of tasks

    /// The longest time for which a daemon may work on a change.
    static let longestChange = Duration.seconds(120)

    /// Makes a call that reads, and suspends the task until the call has returned.
    nonisolated(nonsending) func reading<Answer: Sendable>(
        _ call: @escaping @Sendable () throws(BrokerError) -> Answer
    ) async throws(BrokerError) -> Answer {
        try await making(call, in: reads, for: .zero)
    }

    /// Makes a call that changes something, and suspends the task until the call has returned.
    private nonisolated(nonsending) func changing<Answer: Sendable>(
        _ call: @escaping @Sendable () throws(BrokerError) -> Answer
    ) async throws(BrokerError) -> Answer {
        try await making(call, in: edits, for: Self.longestChange)
    }

    private nonisolated(nonsending) func making<Answer: Sendable>(
        _ call: @escaping @Sendable () throws(BrokerError) -> Answer, in row: Lane.Row, for least: Duration
    ) async throws(BrokerError) -> Answer {
        let moment = MonotonicClock.now()
        let answer: Result<Answer, BrokerError>
        do throws(SystemError) {
            answer = try await row.value { [service] in
                Result { () throws(BrokerError) in
                    try service.checkTurn(since: moment, for: least)
                    return try call()
                }
            }
        } catch {
            throw BrokerError(.system, what: "\(error.cause)", place: "the thread annex-slow", remedy: error.remedy)
        }
        return try answer.get()
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
