/// What Landlock handles, and what it then lets pass: `LANDLOCK_ACCESS_…` and `LANDLOCK_SCOPE_…` of this kernel's version.
package struct LandlockRules: Sendable, Hashable {
    package struct Rule: Sendable, Hashable {
        /// As seen inside the new root; no link on it is followed.
        package var path: String
        package var access: UInt64

        package init(_ path: String, access: UInt64) {
            self.path = path
            self.access = access
        }
    }

    /// Rights on files that are refused unless a rule gives them.
    package var files: UInt64 = 0
    package var network: UInt64 = 0
    package var scopes: UInt64 = 0
    package var rules: [Rule] = []

    package init() {}
}
