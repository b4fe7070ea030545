public import AnnexLinux
public import AnnexPolicy

/// A path that the policy does not grant and that the host has.
public struct DeniedPath: Sendable, Hashable {
    /// Absolute, by its spelling; of the program's making.
    let path: String
    /// What the call wanted of it; none: that it is there.
    public let needed: PathRights
    /// What the policy does not give of that; none: that it is there at all.
    public let missing: PathRights
    /// Whether the call would have made the file: then it is its directory that the host has.
    public let makesEntry: Bool
    /// The option of `annex run` that would grant it; nil where none may.
    public let option: String?

    /// The path made fit to be shown.
    public var shown: Escaped { Escaped(path) }
}
