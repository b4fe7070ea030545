/// Controls against side channels of the processor that the warden found on this machine. They are in force in each
/// sandbox that has the layer `speculation`. The bits are those of `annex_speculation.h`.
package struct SpeculationControls: OptionSet, Sendable, Hashable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    package static let storeBypass = SpeculationControls(rawValue: 1 << 0)
    package static let indirectBranches = SpeculationControls(rawValue: 1 << 1)
    /// No other program runs on the sibling threads of the sandbox's core while the sandbox runs.
    package static let core = SpeculationControls(rawValue: 1 << 2)

    /// The names of the controls, in the order of the bits and of the step's calls.
    static let names = ["store bypass", "indirect branches", "core scheduling"]
}

extension SpeculationControls: CustomStringConvertible {
    /// The names of the controls, for example `store bypass, core scheduling`.
    package var description: String {
        let known = Self.names.enumerated().filter { rawValue & 1 << UInt32($0.offset) != 0 }.map(\.element)
        return known.isEmpty ? "this machine offers none" : known.joined(separator: ", ")
    }
}
