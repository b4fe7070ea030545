package import AnnexPolicy

/// The machines that a recorded program reached, by their names.
package enum LearntHosts {
    /// The rules for the machines of a recording.
    ///
    /// The names that the program asked for are looked up again, because their answers were not recorded. A machine
    /// whose address belongs to none of them gets a rule with its address.
    /// - Parameter look: looks up one name, and may take long.
    package static func rules(
        of recording: Recording, look: (HostName) -> NameLookup.Outcome = { NameLookup.look(up: $0) }
    ) -> [HostRule] {
        var names: [[UInt8]: [HostName]] = [:]
        for name in recording.questions.sorted(by: { $0.text < $1.text }) {
            guard case .addresses(let found) = look(name) else { continue }
            for address in found { names[address, default: []].append(name) }
        }
        var rules: [HostRule] = []
        for machine in recording.connections.sorted(by: { $0.description < $1.description }) {
            guard case .address(let bytes) = machine.target else { continue }
            let own = names[bytes].map { $0.map { HostRule(.name($0), port: machine.port) } } ?? [machine]
            for rule in own where !rules.contains(rule) { rules.append(rule) }
        }
        return rules.sorted { $0.description < $1.description }
    }
}
