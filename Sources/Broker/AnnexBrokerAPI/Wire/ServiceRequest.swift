/// What a host asks of a daemon.
package enum ServiceRequest: Sendable, Hashable {
    /// An app of this directory's name, whose archive comes beside it.
    case install(name: String)
    case uninstall(app: String)
    case setEnabled(Bool, extension: String)
    /// What is on offer behind this identifier, or also what is switched off; "": from the first on.
    case list(after: String, withDisabled: Bool = false)
    case terms(extension: String)
    /// A parked extension is needed, by the number of the request that launched it.
    case claim(UInt64)
    /// Starts an extension with the three descriptors that come beside it. Its number is the extension's from now on.
    /// - Parameters:
    ///   - as: the extension point that the host expects; nil: any.
    ///   - counters: the number under which the host publishes what goes through the channel; 0: it does not.
    case launch(
        extension: String, as: String? = nil, for: LaunchPurpose, timeLimit: Duration?, counters: UInt64)

    /// How many descriptors come beside it.
    package var descriptors: Int {
        switch self {
        case .install: 1
        case .launch: ServiceWire.launchDescriptors
        case .uninstall, .setEnabled, .list, .terms, .claim: 0
        }
    }
}
