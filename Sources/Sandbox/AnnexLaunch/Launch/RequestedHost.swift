internal import AnnexNames

/// A machine for which a program with named hosts asked.
public struct RequestedHost: Sendable, Hashable, Codable {
    /// The name as it is compared (`xn--…` for letters of other scripts), or the address.
    public let name: String
    /// The ports to which the program connected, or wanted to connect.
    public let ports: [UInt16]
    /// Whether the program could connect each time that it wanted to.
    public let isAllowed: Bool

    init(_ host: RequestedHosts.Host) { (name, ports, isAllowed) = (host.name, host.ports, host.isAllowed) }
}
