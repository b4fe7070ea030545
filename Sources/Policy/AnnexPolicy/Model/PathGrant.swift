/// A file or directory of the host's that is there inside as well, under the same path.
public struct PathGrant: Sendable, Hashable {
    /// Absolute and plain: no `.`, no `..`, no slash at its end.
    public let path: String
    /// For the file, or for everything below the directory that no deeper grant is about.
    public let rights: PathRights
    /// Where the host has no such path it is left out; otherwise that fails the launch.
    public let isOptional: Bool
    /// Why the policy grants it.
    public let reason: String
    /// Where the policy grants it; nil for what a caller added.
    public let place: PolicyPlace?

    package init(path: String, rights: PathRights, isOptional: Bool, reason: String, place: PolicyPlace?) {
        self.path = path
        self.rights = rights
        self.isOptional = isOptional
        self.reason = reason
        self.place = place
    }
}
