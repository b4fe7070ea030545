internal import CAnnexLinux

/// What no process can do to a memfd any more, whatever descriptors it holds.
package struct Seals: OptionSet, Sendable, Hashable {
    package let rawValue: Int32

    package init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// No further seals can be added.
    package static let seal = Seals(rawValue: ANNEX_SEAL_SEAL)
    package static let shrink = Seals(rawValue: ANNEX_SEAL_SHRINK)
    package static let grow = Seals(rawValue: ANNEX_SEAL_GROW)
    /// No byte can change any more. The kernel refuses this seal while a writable mapping exists.
    package static let write = Seals(rawValue: ANNEX_SEAL_WRITE)
    /// No new way to write. Existing writable mappings stay writable.
    package static let futureWrite = Seals(rawValue: ANNEX_SEAL_FUTURE_WRITE)

    /// Size and seals are fixed; bytes can change.
    package static let fixedSize: Seals = [.seal, .shrink, .grow]
    /// Nothing about the file can change any more, so that it can be mapped and read in place.
    package static let immutable: Seals = [.seal, .shrink, .grow, .write]
    /// Only the mapping that its maker already has can write.
    package static let oneWriter: Seals = [.seal, .shrink, .grow, .futureWrite]
}
