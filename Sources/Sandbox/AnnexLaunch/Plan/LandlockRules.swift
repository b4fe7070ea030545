/// The Landlock rules of a launch: `LANDLOCK_ACCESS_…` and `LANDLOCK_SCOPE_…` of this kernel's version.
package struct LandlockRules: Sendable, Hashable {
    package struct Rule: Sendable, Hashable {
        /// The path inside the new root. No link on it is followed.
        package var path: String
        package var access: UInt64

        package init(_ path: String, access: UInt64) {
            self.path = path
            self.access = access
        }
    }

    /// Rights on files that are denied unless a rule grants them.
    package var files: UInt64 = 0
    package var network: UInt64 = 0
    package var scopes: UInt64 = 0
    package var rules: [Rule] = []

    package init() {}
}
