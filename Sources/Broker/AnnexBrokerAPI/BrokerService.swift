package import AnnexChannel
package import AnnexModel

/// The requests that a host makes to a broker. An embedded broker and a daemon answer alike, so host code does not
/// depend on which one it has.
package protocol BrokerService: Sendable {
    /// Installs an app and its extensions, or replaces an installed app with the same identifier.
    ///
    /// - Parameter granting: entitlements that the user grants to those of its extensions that ask for them.
    func install(app path: String, granting: [String]) throws(BrokerError) -> [InstalledExtension]

    /// Removes an app and its extensions. Running ones end with the reason `removed`.
    func remove(app identifier: String) throws(BrokerError)

    /// Uses one installed version of an app from now on; nil ends such a choice, so that the highest version is used.
    func pin(app identifier: String, to version: String?) throws(BrokerError) -> [InstalledExtension]

    /// Switches an extension on or off. If it is switched off while it runs, it ends with the reason `disabled`.
    func setEnabled(_ isEnabled: Bool, for identifier: String) throws(BrokerError)

    /// Grants or revokes entitlements of an extension, as its user decides.
    func setGranted(
        _ isGranted: Bool, entitlements: [String], for identifier: String
    ) throws(BrokerError) -> InstalledExtension

    /// Trusts the key of a team.
    ///
    /// - Parameters:
    ///   - key: the text of the team's file with its public key.
    ///   - app: an app that the team may sign from now on, whichever team has signed it so far; nil for none.
    func trust(key: String, for app: String?) throws(BrokerError) -> SigningTeam

    /// Starts the installed app that registers the scheme of a URL, with the URL.
    /// - Returns: the app's identifier.
    func open(_ url: String) throws(BrokerError) -> String

    /// All extensions that hosts can begin, sorted by identifier; without those that are switched off.
    /// - Parameter languages: the user's languages, the preferred one first. Names and summaries are in these.
    func extensions(in languages: [String]) throws(BrokerError) -> [InstalledExtension]

    /// All installed extensions, sorted by identifier; also those that are switched off.
    func installed(in languages: [String]) throws(BrokerError) -> [InstalledExtension]

    /// The icon of an extension in sealed memory; nil if it has none.
    func icon(of identifier: String) throws(BrokerError) -> ExtensionIcon?

    /// All keys and values of an extension's `NSExtensionAttributes`.
    func attributes(of identifier: String) throws(BrokerError) -> [String: ItemValue]

    /// The keys of the `Info.plist` of an extension's app that declare types.
    func typeDeclarations(of identifier: String) throws(BrokerError) -> [String: ItemValue]

    /// A sequence with one value for each later change of the installed apps and extensions.
    var changes: InstalledChanges { get }

    /// The limits that the extension's policy sets for its host. The host makes the channel with these limits.
    func terms(for identifier: String) throws(BrokerError) -> SessionTerms

    /// Launches an extension and gives it its ends of a channel that the host made. Returns once the process is being
    /// created. `events` reports everything after that, failures included, and always ends with exactly one `ended`.
    ///
    /// - Parameters:
    ///   - point: the extension point that the host expects; nil if any will do.
    ///   - purpose: why the extension is launched. It decides whether the launch may wait for a slot, or take the slot
    ///     of a parked extension.
    ///   - timeLimit: the longest time for each request; nil for the extension point's limit.
    ///   - host: the host's end of the channel, which counts messages and bytes.
    func launch(
        _ identifier: String, as point: String?, for purpose: LaunchPurpose, timeLimit: Duration?,
        channel: consuming ExtensionDescriptors, of host: HostEndpoint,
        events: @escaping @Sendable (ExtensionEvent) -> Void
    ) throws(BrokerError) -> any ExtensionHandle

    /// The same as `terms`, for a task: it suspends while a daemon answers.
    nonisolated(nonsending) func askedTerms(for identifier: String) async throws(BrokerError) -> SessionTerms

    /// The same as `launch`, for a task: it suspends while a daemon answers. If the task is cancelled meanwhile,
    /// nothing is launched, or the launched extension is ended.
    nonisolated(nonsending) func askedLaunch(
        _ identifier: String, as point: String?, for purpose: LaunchPurpose, timeLimit: Duration?,
        channel: consuming ExtensionDescriptors, of host: HostEndpoint,
        events: @escaping @Sendable (ExtensionEvent) -> Void
    ) async throws(BrokerError) -> any ExtensionHandle
}

/// An embedded broker is called directly, without suspending.
extension BrokerService {
    /// Installs an app without a grant.
    package func install(app path: String) throws(BrokerError) -> [InstalledExtension] {
        try install(app: path, granting: [])
    }

    package nonisolated(nonsending) func askedTerms(
        for identifier: String
    ) async throws(BrokerError) -> SessionTerms {
        try terms(for: identifier)
    }

    package nonisolated(nonsending) func askedLaunch(
        _ identifier: String, as point: String?, for purpose: LaunchPurpose, timeLimit: Duration?,
        channel: consuming ExtensionDescriptors, of host: HostEndpoint,
        events: @escaping @Sendable (ExtensionEvent) -> Void
    ) async throws(BrokerError) -> any ExtensionHandle {
        try launch(
            identifier, as: point, for: purpose, timeLimit: timeLimit, channel: channel, of: host, events: events)
    }
}

/// Why an extension is launched.
package enum LaunchPurpose: UInt8, Sendable, Hashable, FieldValue {
    /// A request needs the extension. The launch waits in line for an instance slot, and may take a parked extension's
    /// slot.
    case request
    /// No request needs the extension yet. It gets a free slot for which no launch waits; otherwise the broker rejects
    /// it at once.
    case ahead
}

/// The limits that an extension's policy sets for its host.
package struct SessionTerms: Sendable, Hashable {
    /// The limits of the channel, which the host makes.
    package var channel: ChannelConfiguration
    /// If an extension of a standby has answered a single `request`, it may stay parked this long until the next one.
    /// Zero means that it is ended instead.
    package var keepAlive: Duration

    package init(channel: ChannelConfiguration = ChannelConfiguration(), keepAlive: Duration = .zero) {
        self.channel = channel
        self.keepAlive = keepAlive
    }
}
