package import AnnexPolicy

/// The addresses that the names of one sandbox had, and when the broker learnt them.
///
/// The program decides how many names it asks for, so the book forgets the oldest names.
package struct AddressBook: Sendable {
    private struct Entry {
        var addresses: [[UInt8]]
        var learnt: UInt64
    }

    private var entries: [HostName: Entry] = [:]
    /// The names that an address belonged to at any time. A program can use an address long after it asked for it.
    private var names: [[UInt8]: [HostName]] = [:]
    /// The names in the order in which they were first learnt.
    private var order: [HostName] = []

    static let (mostNames, mostAddresses) = (1_024, 4_096)
    /// How many names of one address are kept. Many names lead to the machines of one provider.
    static let mostOfAddress = 64

    package init() {}

    /// Notes the addresses that a name has now, in place of those that it had before.
    package mutating func learn(_ name: HostName, at addresses: [[UInt8]], moment: UInt64) {
        if entries.updateValue(Entry(addresses: addresses, learnt: moment), forKey: name) == nil { order.append(name) }
        for address in addresses where names[address]?.contains(name) != true {
            names[address, default: []].append(name)
            if names[address, default: []].count > Self.mostOfAddress { names[address]?.removeFirst() }
        }
        while order.count > Self.mostNames || names.count > Self.mostAddresses, order.count > 1 { forgetOldest() }
    }

    private mutating func forgetOldest() {
        let oldest = order.removeFirst()
        entries[oldest] = nil
        for (address, owners) in names where owners.contains(oldest) {
            let rest = owners.filter { $0 != oldest }
            names[address] = rest.isEmpty ? nil : rest
        }
    }

    /// The names that an address belongs to or belonged to.
    package func names(at address: [UInt8]) -> [HostName] { names[address] ?? [] }

    /// The addresses of a name, if they were learnt at this moment or later.
    package func addresses(of name: HostName, since moment: UInt64) -> [[UInt8]]? {
        entries[name].flatMap { $0.learnt >= moment ? $0.addresses : nil }
    }
}
