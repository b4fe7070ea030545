internal import AnnexPolicy

/// The machines for which the program of one sandbox asked.
package struct RequestedHosts: Sendable {
    /// A machine, by its name or address.
    package struct Host: Sendable, Hashable {
        package let name: String
        /// The ports to which the program connected, or wanted to connect.
        package internal(set) var ports: [UInt16] = []
        /// Whether the program could connect each time that it wanted to.
        package internal(set) var isAllowed = true
    }

    /// The most machines, and the most ports of one.
    private static let (most, mostPorts) = (256, 16)

    private(set) var list: [Host] = []
    private var places: [String: Int] = [:]

    /// Notes a question for the addresses of a name, or a connection.
    mutating func note(_ host: HostRefusal.Host, port: UInt16?, isAllowed: Bool) {
        let name = "\(host)"
        guard let place = places[name] ?? append(name) else { return }
        if !isAllowed { list[place].isAllowed = false }
        guard let port, list[place].ports.count < Self.mostPorts, !list[place].ports.contains(port) else { return }
        list[place].ports.append(port)
    }

    private mutating func append(_ name: String) -> Int? {
        guard list.count < Self.most else { return nil }
        places[name] = list.count
        list.append(Host(name: name))
        return list.count - 1
    }
}
