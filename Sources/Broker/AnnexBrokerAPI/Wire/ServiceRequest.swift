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
