package import AnnexChannel
package import AnnexModel

/// The requests that a host makes to a broker. An embedded broker and a daemon answer in the same way. So host code
/// does not depend on the kind of broker.
package protocol BrokerService: Sendable {
    /// Installs an app and its extensions, or replaces an installed app with the same identifier.
    ///
    /// - Parameter granting: entitlements that the user grants. Each extension of the app gets the granted entitlements
    ///   that it asks for.
    func install(app path: String, granting: [String]) throws(BrokerError) -> [InstalledExtension]

    /// Removes an app and its extensions. Running extensions of the app end with the reason `removed`.
    func remove(app identifier: String) throws(BrokerError)

    /// Chooses which installed version of an app is used from now on. If the version is nil, the choice ends, and the
    /// highest version is used.
    func pin(app identifier: String, to version: String?) throws(BrokerError) -> [InstalledExtension]

    /// Switches an extension on or off. If it is switched off while it runs, it ends with the reason `disabled`.
    func setEnabled(_ isEnabled: Bool, for identifier: String) throws(BrokerError)

    /// Grants or revokes entitlements of an extension, as the user decides.
    /// - Parameter hosts: the machines that a grant of the network names. A revocation takes these machines back.
    func setGranted(
        _ isGranted: Bool, entitlements: [String], hosts: [String], for identifier: String
    ) throws(BrokerError) -> InstalledExtension

    /// Trusts the key of a team.
    ///
    /// - Parameters:
    ///   - key: the text of the file with the team's public key.
    ///   - app: an app that the team may sign from now on, even if another team has signed it so far; nil for none.
    func trust(key: String, for app: String?) throws(BrokerError) -> SigningTeam

    /// Starts the installed app that registers the scheme of a URL, and passes the URL to the app.
    /// - Returns: the app's identifier.
    func open(_ url: String) throws(BrokerError) -> String

    /// All extensions that hosts can begin, sorted by identifier. Extensions that are switched off are not included.
    /// - Parameter languages: the user's languages for names and summaries, the preferred language first.
    func extensions(in languages: [String]) throws(BrokerError) -> [InstalledExtension]

    /// All installed extensions, sorted by identifier. Extensions that are switched off are included.
    func installed(in languages: [String]) throws(BrokerError) -> [InstalledExtension]

    /// The icon of an extension in sealed memory; nil if the extension has no icon.
    func icon(of identifier: String) throws(BrokerError) -> ExtensionIcon?

    /// All keys and values of an extension's `NSExtensionAttributes`.
    func attributes(of identifier: String) throws(BrokerError) -> [String: ItemValue]

    /// The declarations of types in the `Info.plist` of the app that contains the extension.
    func typeDeclarations(of identifier: String) throws(BrokerError) -> [String: ItemValue]

    /// Answers about background transfers, or changes one. The keys of the answer are those of
    /// `annex transfer show --json`, or those of a `TransferReport`.
    func transfers(_ request: TransferRequest) throws(BrokerError) -> [String: ItemValue]

    /// A sequence with one value for each change of the installed apps and extensions from now on.
    var changes: InstalledChanges { get }

    /// The limits that the extension's policy sets for its host. The host makes the channel with these limits.
    func terms(for identifier: String) throws(BrokerError) -> SessionTerms

    /// Launches an extension, and gives it the extension's ends of a channel that the host made. The call returns when
    /// the creation of the process has begun. Everything after that is reported to `events`, including failures. The
    /// last event is always `ended`, and it occurs exactly once.
    ///
    /// - Parameters:
    ///   - point: the extension point that the host expects; nil if the host accepts any point.
    ///   - purpose: why the extension is launched. The purpose decides whether the launch may wait for a slot, or take
    ///     the slot of a parked extension.
    ///   - timeLimit: the longest time for each request. If it is nil, the extension point's limit applies.
    ///   - origin: the host's own name for the source of the session's requests, at most `ServiceWire.longestOrigin`
    ///     bytes. If the requests end the extension again and again, only launches for the same origin are delayed. If
    ///     it is nil, no launch is delayed.
    ///   - host: the host's end of the channel, which counts messages and bytes.
    func launch(
        _ identifier: String, as point: String?, for purpose: LaunchPurpose, timeLimit: Duration?, origin: String?,
        channel: consuming ExtensionDescriptors, of host: HostEndpoint,
        events: @escaping @Sendable (ExtensionEvent) -> Void
    ) throws(BrokerError) -> any ExtensionHandle

    /// Throws if a call has waited for earlier calls of its host for so long that the broker counts as unreachable.
    /// - Parameters:
    ///   - moment: when the call was made, as a time of `MonotonicClock`.
    ///   - least: the shortest time that the call may wait.
    func checkTurn(since moment: UInt64, for least: Duration) throws(BrokerError)

    /// Does the same as `terms`, for a task. The task suspends until a daemon answers.
    nonisolated(nonsending) func askedTerms(for identifier: String) async throws(BrokerError) -> SessionTerms

    /// Does the same as `launch`, for a task. The task suspends until a daemon answers. If the task is cancelled
    /// meanwhile, no extension is launched, or the launched extension is ended.
    nonisolated(nonsending) func askedLaunch(
        _ identifier: String, as point: String?, for purpose: LaunchPurpose, timeLimit: Duration?, origin: String?,
        channel: consuming ExtensionDescriptors, of host: HostEndpoint,
        events: @escaping @Sendable (ExtensionEvent) -> Void
    ) async throws(BrokerError) -> any ExtensionHandle
}

/// An embedded broker is called directly. So its `askedTerms` and `askedLaunch` do not suspend, and it is always reachable.
extension BrokerService {
    /// Installs an app without a grant.
    package func install(app path: String) throws(BrokerError) -> [InstalledExtension] {
        try install(app: path, granting: [])
    }

    package func checkTurn(since moment: UInt64, for least: Duration) throws(BrokerError) {}

    package nonisolated(nonsending) func askedTerms(
        for identifier: String
    ) async throws(BrokerError) -> SessionTerms {
        try terms(for: identifier)
    }

    package nonisolated(nonsending) func askedLaunch(
        _ identifier: String, as point: String?, for purpose: LaunchPurpose, timeLimit: Duration?, origin: String?,
        channel: consuming ExtensionDescriptors, of host: HostEndpoint,
        events: @escaping @Sendable (ExtensionEvent) -> Void
    ) async throws(BrokerError) -> any ExtensionHandle {
        try launch(
            identifier, as: point, for: purpose, timeLimit: timeLimit, origin: origin, channel: channel, of: host,
            events: events)
    }
}

/// Why an extension is launched.
package enum LaunchPurpose: UInt8, Sendable, Hashable, FieldValue {
    /// A request needs the extension. The launch waits in line for an instance slot, and may take the slot of a parked
    /// extension.
    case request
    /// No request needs the extension yet. The launch gets a slot only if a slot is free and no other launch waits.
    /// Otherwise, the broker rejects the launch at once.
    case ahead
}

/// The limits that an extension's policy sets for its host.
package struct SessionTerms: Sendable, Hashable {
    /// The limits of the channel, which the host makes.
    package var channel: ChannelConfiguration
    /// The time for which an extension of a standby may stay parked after it has answered a single `request`. If the
    /// time is zero, the extension is ended instead.
    package var keepAlive: Duration
    /// Whether the extension's input is private. If so, the host must not record the channel.
    package var hasPrivateInput: Bool

    package init(
        channel: ChannelConfiguration = ChannelConfiguration(), keepAlive: Duration = .zero,
        hasPrivateInput: Bool = false
    ) {
        self.channel = channel
        self.keepAlive = keepAlive
        self.hasPrivateInput = hasPrivateInput
    }
}
