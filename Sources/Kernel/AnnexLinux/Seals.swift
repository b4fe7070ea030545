internal import CAnnexLinux

/// What can never be done any more to a memfd, whoever holds it.
package struct Seals: OptionSet, Sendable, Hashable {
    package let rawValue: Int32

    package init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// No further seals.
    package static let seal = Seals(rawValue: ANNEX_SEAL_SEAL)
    package static let shrink = Seals(rawValue: ANNEX_SEAL_SHRINK)
    package static let grow = Seals(rawValue: ANNEX_SEAL_GROW)
    /// No byte changes any more; refused while a writable mapping exists.
    package static let write = Seals(rawValue: ANNEX_SEAL_WRITE)
    /// No new way to write: the writable mappings that exist stay so.
    package static let futureWrite = Seals(rawValue: ANNEX_SEAL_FUTURE_WRITE)

    /// Size and seals fixed, bytes not.
    package static let fixedSize: Seals = [.seal, .shrink, .grow]
    /// Nothing about the file changes any more: it can be mapped and read where it lies.
    package static let immutable: Seals = [.seal, .shrink, .grow, .write]
    /// Only the mapping that its maker already has can write.
    package static let oneWriter: Seals = [.seal, .shrink, .grow, .futureWrite]
}
