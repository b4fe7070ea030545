/// What a call gets that the policy does not mention.
package struct UnlistedCalls: Sendable, Hashable {
    /// The errno of a call with a name.
    package let known: Int32
    /// The errno of a number that no kernel known to Annex has: new C libraries try such calls and fall back on ENOSYS.
    package let unknown: Int32
    package let place: PolicyPlace

    package init(known: Int32, unknown: Int32, place: PolicyPlace) {
        self.known = known
        self.unknown = unknown
        self.place = place
    }
}
