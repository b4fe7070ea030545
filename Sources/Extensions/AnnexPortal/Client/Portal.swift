internal import AnnexLinux
internal import Glibc
internal import Synchronization

/// The portal of this process: its connection to the broker, for everything that concerns app groups and the opening
/// of URLs.
package enum Portal {
    /// The number of the portal's descriptor in an extension.
    package static let descriptor: Int32 = 6
    /// The number of an extension's first descriptor of a file of locks. Each app group has a file of locks, and the
    /// descriptors of further groups have the next numbers. The system call filter allows locks on these descriptors
    /// alone. Their numbers are above the limit on descriptors, so the extension cannot give one of these numbers to
    /// another file.
    package static let firstLocks: Int32 = 512
    /// The environment variable that tells an extension that it has a portal.
    package static let variable = "ANNEX_PORTAL"

    private static let one = Mutex<PortalClient?>(nil)

    /// - Throws: `unavailable` if this process has no portal.
    package static func ofThisProcess() throws(PortalError) -> PortalClient {
        if let client = one.withLock({ $0 }) { return client }
        throw .noPortal
    }

    /// Sets the portal of this process. A second call changes nothing.
    package static func install(_ client: PortalClient) { one.withLock { if $0 == nil { $0 = client } } }

    /// How this process reaches the daemon annexd for background transfers, if its portal belongs to no daemon.
    package typealias TransferConnector = @Sendable () throws(PortalError) -> PortalClient

    private static let connector = Mutex<TransferConnector?>(nil)

    /// Sets the way to the daemon for background transfers.
    package static func installTransfers(_ way: @escaping TransferConnector) { connector.withLock { $0 = way } }

    /// The portal for background transfers.
    /// - Parameter portal: the portal of the group.
    package static func ofTransfers(of portal: PortalClient) throws(PortalError) -> PortalClient {
        guard let way = connector.withLock({ $0 }) else { return portal }
        return try way()
    }

    /// Adopts the descriptor that the broker gave to an extension. The result is nil if the broker gave no
    /// descriptor.
    /// - Parameter heartbeat: see `PortalClient.Reader.caller`.
    package static func adopt(heartbeat: @escaping @Sendable () -> Bool) -> PortalClient? {
        // SAFETY: the code reads only whether the variable exists. An extension has one thread.
        guard unsafe getenv(variable) != nil else { return nil }
        let client = PortalClient(
            ControlSocket(owning: Descriptor(owning: descriptor)), reader: .caller(heartbeat: heartbeat))
        install(client)
        return client
    }
}
