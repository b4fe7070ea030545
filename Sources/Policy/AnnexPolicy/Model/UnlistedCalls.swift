/// The answers to calls that the policy does not mention.
package struct UnlistedCalls: Sendable, Hashable {
    /// The errno for a call that has a name.
    package let known: Int32
    /// The errno for a number that no kernel known to Annex has. New C libraries try such calls and fall back on
    /// ENOSYS.
    package let unknown: Int32
    package let place: PolicyPlace

    package init(known: Int32, unknown: Int32, place: PolicyPlace) {
        self.known = known
        self.unknown = unknown
        self.place = place
    }
}
