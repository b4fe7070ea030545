package import AnnexBrokerAPI
package import AnnexChannel

extension Broker {
    package func launch(
        _ identifier: String, as point: String?, for purpose: LaunchPurpose, timeLimit: Duration?,
        channel: consuming ExtensionDescriptors, of host: HostEndpoint,
        events: @escaping @Sendable (ExtensionEvent) -> Void
    ) throws(BrokerError) -> any ExtensionHandle {
        try launch(
            identifier, as: point, for: purpose, timeLimit: timeLimit, channel: channel, of: HostEnd.own(host),
            events: events)
    }

    /// Ends an extension because its host has gone. It needs no reference to the broker, because releasing the last
    /// such reference waits for the warden.
    package static func end(ofGoneHost handle: any ExtensionHandle) {
        (handle as? SupervisedExtension)?.end(for: .hostGone)
    }
}
