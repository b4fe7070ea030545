internal import AnnexNames
internal import AnnexPolicy
internal import AnnexTransferWire
internal import Synchronization

/// The addresses that the broker named to the agent, for each attempt at a task that the agent has. The broker makes no
/// other connection for the agent, so an agent that a server took over reaches nothing that its jobs do not.
final class NamedAddresses: Sendable {
    private struct Place: Hashable, Sendable {
        let host: [UInt8]
        let port: UInt16

        init(_ address: InternetAddress) { (host, port) = (HostAddress.plain(address.host), address.port) }
    }

    private let places = Mutex<[TransferKey: Set<Place>]>([:])

    func note(_ addresses: [InternetAddress], for key: TransferKey) {
        let named = addresses.map(Place.init)
        places.withLock { $0[key, default: []].formUnion(named) }
    }

    /// Forgets an attempt that is over.
    func forget(_ key: TransferKey) { places.withLock { $0[key] = nil } }

    /// Forgets all attempts, because their agent has ended.
    func forgetAll() { places.withLock { $0 = [:] } }

    func include(_ address: InternetAddress) -> Bool {
        let place = Place(address)
        return places.withLock { $0.values.contains { $0.contains(place) } }
    }
}
