internal import AnnexBundle
internal import AnnexPolicy
internal import AnnexRegistry
internal import Synchronization

/// One broker's registry as a separate object. A running extension asks the registry whether the extension's
/// installation is still current. So the extension keeps a reference to the registry, and need not keep the broker
/// alive.
final class InstalledRegistry: Sendable {
    private let registry = Mutex(Registry())
    /// This lock is held during a change, so that changes do not overlap. Queries do not wait for it.
    private let changing = Mutex(())

    /// The registry at this moment.
    var value: Registry { registry.withLock { $0 } }

    /// Changes a copy of the registry. If `body` does not throw, the copy replaces the registry.
    func change<Result: Sendable, Failure: Error>(
        _ body: (inout Registry) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try changing.withLock { (_) throws(Failure) in
            var next = value
            let result = try body(&next)
            // The old value may hold the last references to bundles. They are released outside the lock.
            let old = registry.withLock { registry in
                defer { registry = next }
                return registry
            }
            withExtendedLifetime(old) {}
            return result
        }
    }

    /// The machines that the grants of an extension name now; nil if they are for all other machines.
    func grantedHosts(of identifier: String) -> [HostRule]? {
        let registry = value
        guard let record = registry.record(identifier) else { return [] }
        let hosts = registry.hostsInForce(for: record)
        guard hosts.isEmpty else { return hosts }
        let hasNetwork = registry.entitlementsInForce(for: record).contains(GrantedEntitlements.withHosts)
        return hasNetwork ? nil : []
    }

    /// Whether a launch now would start the extension from the installation with this number.
    func isCurrent(_ identifier: String, number: UInt64) -> Bool {
        registry.withLock { $0.record(identifier)?.number == number }
    }
}

/// The installation that a launch found. The bundle stays on disk as long as this value exists.
struct Installed: Sendable {
    let instance: Instance
    let point: String
    /// Whether the point says that the extension's input is private.
    let hasPrivateInput: Bool
    private let number: UInt64
    private let bundle: ExtensionBundle
    private let registry: InstalledRegistry

    init(_ bundle: ExtensionBundle, record: ExtensionRecord, in registry: InstalledRegistry) {
        instance = record.instance
        point = bundle.extensionPoint
        hasPrivateInput = record.point?.hasPrivateInput ?? false
        number = record.number
        self.bundle = bundle
        self.registry = registry
    }

    var identifier: String { instance.identifier }

    /// The machines that the extension's grants name now; nil if they are for all other machines.
    var grantedHosts: [HostRule]? { registry.grantedHosts(of: identifier) }

    /// Whether another installation has replaced this one, or the extension was removed.
    var isReplaced: Bool { !registry.isCurrent(identifier, number: number) }
}
