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

    /// Ends an extension that a broker launched, because its host is gone. Needs no reference to that broker: whoever lets go
    /// of the last one waits for its warden.
    package static func end(ofGoneHost handle: any ExtensionHandle) {
        (handle as? SupervisedExtension)?.end(for: .hostGone)
    }
}
