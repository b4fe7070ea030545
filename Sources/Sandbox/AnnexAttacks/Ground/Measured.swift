/// What was measured, for people and for programs.
package struct Measured: Sendable, Hashable {
    package let unit: String
    package let before: UInt64
    package internal(set) var held: UInt64 = 0
    package internal(set) var after: UInt64 = 0
    /// How many more than before there may be.
    package let allowed: UInt64
    /// Whether another program of the same user could do what it needed meanwhile; nil where that was not asked.
    package internal(set) var neighbour: Bool?
    /// The machine's own counts at the same three moments, in KiB or pieces: also of everything else that runs.
    package internal(set) var machine: [MachineCount]

    package struct MachineCount: Sendable, Hashable {
        package let name: String
        package internal(set) var values: [UInt64]
    }

    /// Whether it held more than it may, or another program could not work for it.
    var isExceeded: Bool { held > before && held - before > allowed || neighbour == false }

    package var text: String {
        let asked = neighbour.map { $0 ? ", another program works on" : ", another program cannot work" } ?? ""
        return "\(unit): \(before) before, \(held) held, \(after) after, \(allowed) more allowed\(asked)"
    }
}
