/// The result of a measurement.
package struct Measured: Sendable, Hashable {
    package let unit: String
    package let before: UInt64
    package internal(set) var held: UInt64 = 0
    package internal(set) var after: UInt64 = 0
    /// How many more objects than before are allowed.
    package let allowed: UInt64
    /// Whether another program of the same user could still work; nil if this was not tried.
    package internal(set) var neighbour: Bool?
    /// The machine's own counts, in KiB or objects: before the program, while the program held its objects, and after
    /// the program. The counts include all other programs.
    package internal(set) var machine: [MachineCount]

    package struct MachineCount: Sendable, Hashable {
        package let name: String
        package internal(set) var values: [UInt64]
    }

    /// Whether the program held more objects than allowed, or prevented another program from working.
    var isExceeded: Bool { held > before && held - before > allowed || neighbour == false }

    package var text: String {
        let asked = neighbour.map { $0 ? ", another program works on" : ", another program cannot work" } ?? ""
        return "\(unit): \(before) before, \(held) held, \(after) after, \(allowed) more allowed\(asked)"
    }
}
