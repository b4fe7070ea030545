package import AnnexChannel

/// What a host asks of a broker. Embedded and daemon answer the same, so that host code cannot tell which it has.
package protocol BrokerService: Sendable {
    /// Registers an app and its extensions; registering the same app again replaces it.
    func install(app path: String) throws(BrokerError) -> [InstalledExtension]

    /// Takes an app and its extensions out; those that run end as `removed`.
    func remove(app identifier: String) throws(BrokerError)

    /// Switches an extension on or off; one that runs ends as `disabled`.
    func setEnabled(_ isEnabled: Bool, for identifier: String) throws(BrokerError)

    /// Everything that is offered, by identifier: not what is switched off.
    var extensions: [InstalledExtension] { get throws(BrokerError) }

    /// Everything that is installed, by identifier: also what is switched off.
    var installed: [InstalledExtension] { get throws(BrokerError) }

    /// The bounds that the extension's policy sets its host; the host makes the channel after them.
    func terms(for identifier: String) throws(BrokerError) -> SessionTerms

    /// Starts an extension with its ends of a channel that the host made; returns once the process is being made.
    /// Everything after that, failures too, is told through `events`, ending with exactly one `ended`.
    ///
    /// - Parameters:
    ///   - point: the extension point that the host expects; nil: any.
    ///   - purpose: what for; says how much it may ask of others.
    ///   - timeLimit: for each request, where the host wants a tighter one than the extension point's.
    ///   - host: the host's end of that channel, for the counts that are kept there.
    func launch(
        _ identifier: String, as point: String?, for purpose: LaunchPurpose, timeLimit: Duration?,
        channel: consuming ExtensionDescriptors, of host: HostEndpoint,
        events: @escaping @Sendable (ExtensionEvent) -> Void
    ) throws(BrokerError) -> any ExtensionHandle

    /// `terms` for a task: suspends if a daemon is asked.
    nonisolated(nonsending) func askedTerms(for identifier: String) async throws(BrokerError) -> SessionTerms

    /// `launch` for a task: suspends if a daemon is asked. A task that is cancelled meanwhile launches nothing, or what is
    /// launched is ended.
    nonisolated(nonsending) func askedLaunch(
        _ identifier: String, as point: String?, for purpose: LaunchPurpose, timeLimit: Duration?,
        channel: consuming ExtensionDescriptors, of host: HostEndpoint,
        events: @escaping @Sendable (ExtensionEvent) -> Void
    ) async throws(BrokerError) -> any ExtensionHandle
}

/// A broker in the host's own process is asked by a call.
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
