/// Controls against side channels of the processor, as the warden found them: in force in each sandbox that has the layer
/// `speculation`. The bits are those of `annex_speculation.h`.
package struct SpeculationControls: OptionSet, Sendable, Hashable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    package static let storeBypass = SpeculationControls(rawValue: 1 << 0)
    package static let indirectBranches = SpeculationControls(rawValue: 1 << 1)
    /// No sibling thread of its core runs anything else while the sandbox runs.
    package static let core = SpeculationControls(rawValue: 1 << 2)

    /// As a reader knows them, in the order of the bits and of the step's calls.
    static let names = ["store bypass", "indirect branches", "core scheduling"]
}

extension SpeculationControls: CustomStringConvertible {
    /// For example `store bypass, core scheduling`.
    package var description: String {
        let known = Self.names.enumerated().filter { rawValue & 1 << UInt32($0.offset) != 0 }.map(\.element)
        return known.isEmpty ? "this machine offers none" : known.joined(separator: ", ")
    }
}
