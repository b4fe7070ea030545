internal import AnnexBundle
package import AnnexPolicy

/// The entitlements that the user has granted to one extension.
package struct GrantedEntitlements: Sendable, Hashable {
    package private(set) var names: Set<String>
    /// The machines to which the extension may connect by `com.apple.security.network.client`, in the order of the
    /// grant. If there are none, the grant is for all other machines.
    package private(set) var hosts: [HostRule] = []

    /// The most machines of one grant, and the most bytes of their texts together. A list of many extensions with their
    /// grants must fit in one packet.
    package static let (mostHosts, mostBytes) = (32, 1_024)

    /// The entitlement whose grant can name machines.
    package static let withHosts = Entitlement.networkClient.rawValue

    package init(_ names: Set<String> = [], hosts: [HostRule] = []) {
        self.names = names
        if names.contains(Self.withHosts) { self.hosts = hosts }
    }

    /// A grant that names machines, as a store keeps it; nil if one of them is not the text of a machine, or if there are
    /// none.
    package init?(_ names: Set<String>, hostTexts: [String]) {
        let rules = hostTexts.compactMap { try? HostRule($0) }
        guard !rules.isEmpty, rules.count == hostTexts.count else { return nil }
        self.init(names.union([Self.withHosts]), hosts: rules)
    }

    package var hostTexts: [String] { hosts.map(\.description) }

    /// The entitlements, without the one whose grant names machines.
    package var namesWithoutHosts: Set<String> { hosts.isEmpty ? names : names.subtracting([Self.withHosts]) }

    package var isEmpty: Bool { names.isEmpty }

    /// Adds entitlements. If the one of the network is among them, its machines are replaced.
    mutating func grant(_ more: [String], hosts: [HostRule]) {
        names.formUnion(more)
        if more.contains(Self.withHosts) { self.hosts = HostRules(hosts).list }
    }

    /// Adds entitlements, and changes none that is granted already.
    mutating func add(_ more: [String]) { names.formUnion(more) }

    mutating func revoke(_ gone: [String]) {
        names.subtract(gone)
        if gone.contains(Self.withHosts) { hosts = [] }
    }

    /// Takes machines back. If none remains, the entitlement is revoked: a grant without machines would be one for all.
    /// - Throws: the mistake if the grant does not name one of the machines.
    mutating func revoke(hosts gone: [HostRule], of identifier: String) throws(RegistryError) {
        guard !hosts.isEmpty else {
            throw RegistryError(
                .wrongEntitlement, what: "has no grant that names machines", place: identifier,
                remedy: names.contains(Self.withHosts)
                    ? "it is for all other machines: grant the machines that the extension may reach"
                    : "\(Self.withHosts) is not granted")
        }
        if let unknown = gone.first(where: { !hosts.contains($0) }) {
            let granted = hosts.map(\.description).joined(separator: ", ")
            throw RegistryError(
                .wrongEntitlement, what: "has no grant for \(unknown)", place: identifier,
                remedy: "its grant names \(granted)")
        }
        hosts.removeAll(where: gone.contains)
        if hosts.isEmpty { names.remove(Self.withHosts) }
    }

    /// Keeps only the entitlements that the extension asks for.
    mutating func keep(_ claimed: [String]) {
        revoke(names.subtracting(claimed).sorted())
    }
}

extension GrantedEntitlements: ExpressibleByArrayLiteral {
    package init(arrayLiteral names: String...) { self.init(Set(names)) }
}
