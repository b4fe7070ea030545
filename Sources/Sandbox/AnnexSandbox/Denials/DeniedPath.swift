public import AnnexLinux
public import AnnexPolicy

/// A path that exists on the host and that the policy does not grant.
public struct DeniedPath: Sendable, Hashable {
    /// The absolute path as the program spelled it.
    let path: String
    /// The rights that the call needed; empty: only that the path exists.
    public let needed: PathRights
    /// The needed rights that the policy does not grant; empty: that the path exists at all.
    public let missing: PathRights
    /// Whether the call would have created the file. Then the host has its directory.
    public let makesEntry: Bool
    /// The option of `annex run` that would grant it; nil if no option can.
    public let option: String?

    /// The path, escaped for display.
    public var shown: Escaped { Escaped(path) }
}
