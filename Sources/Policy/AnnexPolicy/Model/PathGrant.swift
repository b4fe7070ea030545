/// A file or directory of the host that the sandbox contains under the same path.
public struct PathGrant: Sendable, Hashable {
    /// An absolute path without `.`, `..` and a slash at its end.
    public let path: String
    /// The rights on the file, or on everything below the directory except paths with a deeper grant.
    public let rights: PathRights
    /// Whether a path that the host lacks is left out. Otherwise a missing path fails the launch.
    public let isOptional: Bool
    /// Why the policy grants it.
    public let reason: String
    /// The line of the policy that grants it; nil if a caller added the grant.
    public let place: PolicyPlace?

    package init(path: String, rights: PathRights, isOptional: Bool, reason: String, place: PolicyPlace?) {
        self.path = path
        self.rights = rights
        self.isOptional = isOptional
        self.reason = reason
        self.place = place
    }
}
