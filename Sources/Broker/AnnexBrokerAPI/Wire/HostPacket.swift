package import AnnexModel

/// One packet from a host to a daemon.
package enum HostPacket: Sendable, Hashable {
    /// The first packet on every connection: the versions that the host supports.
    case hello(versions: ClosedRange<UInt64>)
    /// A request to the daemon. The numbers rise, and the answer carries the request's number.
    case request(UInt64, ServiceRequest)
    /// A report about a launched extension, with the number of the request that launched it, and the counts of its
    /// channel until then.
    case notice(UInt64, ExtensionNotice, counts: SessionStatistics)
}

/// A host's request to a daemon.
package enum ServiceRequest: Sendable, Hashable {
    /// Installs an app. `name` is the name of its directory; its archive travels with the packet as a descriptor.
    case install(name: String)
    case uninstall(app: String)
    case setEnabled(Bool, extension: String)
    /// Lists extensions by identifier, from the first one after `after`; "" starts at the beginning.
    case list(after: String, withDisabled: Bool = false)
    case terms(extension: String)
    /// Takes a parked extension into use. The number is that of the request that launched it.
    case claim(UInt64)
    /// Launches an extension with the three descriptors of its channel, which travel with the packet. The request's
    /// number identifies the extension from now on.
    /// - Parameters:
    ///   - as: the extension point that the host expects; nil if any will do.
    ///   - counters: the number under which the host publishes the counts of its channel; 0 if it publishes none.
    case launch(
        extension: String, as: String? = nil, for: LaunchPurpose, timeLimit: Duration?, counters: UInt64)

    /// How many descriptors travel with the packet.
    package var descriptors: Int {
        switch self {
        case .install: 1
        case .launch: ServiceWire.launchDescriptors
        case .uninstall, .setEnabled, .list, .terms, .claim: 0
        }
    }
}

/// A host's report about its extension; each case is a method of `ExtensionHandle`.
package enum ExtensionNotice: Sendable, Hashable {
    case saidHello
    case requestBegan(UInt64)
    case requestEnded(UInt64)
    case overstayed
    case gaveSign
    case pingPassedOn
    case activityBegan(String)
    case activityEnded
    case violated(ProtocolViolation)
    case channelClosed
    case parked
    case dismissed(completed: Bool)
}
