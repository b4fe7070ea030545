package import AnnexChannel

/// The requests that a host makes to a broker. An embedded broker and a daemon answer alike, so host code does not
/// depend on which one it has.
package protocol BrokerService: Sendable {
    /// Installs an app and its extensions, or replaces an installed app with the same identifier.
    func install(app path: String) throws(BrokerError) -> [InstalledExtension]

    /// Removes an app and its extensions. Running ones end with the reason `removed`.
    func remove(app identifier: String) throws(BrokerError)

    /// Switches an extension on or off. If it is switched off while it runs, it ends with the reason `disabled`.
    func setEnabled(_ isEnabled: Bool, for identifier: String) throws(BrokerError)

    /// Trusts the key of a team.
    ///
    /// - Parameters:
    ///   - key: the text of the team's file with its public key.
    ///   - app: an app that the team may sign from now on, whichever team has signed it so far; nil for none.
    func trust(key: String, for app: String?) throws(BrokerError) -> SigningTeam

    /// All extensions that hosts can begin, sorted by identifier; without those that are switched off.
    var extensions: [InstalledExtension] { get throws(BrokerError) }

    /// All installed extensions, sorted by identifier; also those that are switched off.
    var installed: [InstalledExtension] { get throws(BrokerError) }

    /// The limits that the extension's policy sets for its host. The host makes the channel with them.
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

/// An extension that is installed with a broker.
public struct InstalledExtension: Sendable, Hashable, Identifiable {
    /// The bundle identifier, for example `com.example.pictures.editor`. An extension that was rejected before its
    /// identifier was read has its app's identifier, a slash and its path in the app instead.
    public let id: String
    /// The name to show to a user: the extension's display name, or the containing app's name if it has none.
    public let displayName: String
    /// The extension point in reverse DNS, for example `com.apple.photo-editing`. Empty if the extension was rejected
    /// before its point was read.
    public let extensionPoint: String
    /// The bundle identifier of the app that carries it.
    public let containingApp: String
    /// Whether the extension is switched on.
    public let isEnabled: Bool
    /// Why the extension cannot be used, with file, key and remedy; nil if it can. The app and its other extensions
    /// work all the same.
    public let rejection: BrokerError?
    /// The team that signed the containing app; nil if the app is not signed.
    public package(set) var team: SigningTeam?

    /// Whether hosts can begin the extension: it is switched on and keeps all rules of packaging.
    public var isOffered: Bool { isEnabled && rejection == nil }

    package init(
        id: String, displayName: String, extensionPoint: String, containingApp: String, isEnabled: Bool = true,
        rejection: BrokerError? = nil
    ) {
        self.id = id
        self.displayName = displayName
        self.extensionPoint = extensionPoint
        self.containingApp = containingApp
        self.isEnabled = isEnabled
        self.rejection = rejection
    }
}
