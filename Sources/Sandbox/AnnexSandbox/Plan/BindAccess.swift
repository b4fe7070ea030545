/// What a bound object may be used for. Without any of these options it is read-only. A bind never honours set-user-ID,
/// and shows nothing that is mounted on the host later.
package struct BindAccess: OptionSet, Sendable, Hashable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    package static let writable = BindAccess(rawValue: 1 << 0)
    /// A device node that the policy grants, such as `/dev/null`.
    package static let device = BindAccess(rawValue: 1 << 1)
    /// Nothing in it can be executed.
    package static let noExecute = BindAccess(rawValue: 1 << 2)
}
