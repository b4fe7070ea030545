/// How a sandbox treats the calls and paths that its policy does not allow, and how much it reports.
///
/// The mode is `enforce` unless the launching code asks for another. The sandbox's report names its mode.
public enum DenialMode: String, Sendable, Hashable, CaseIterable {
    /// Calls that the policy denies fail and are reported. Denials by mounts and Landlock are not reported.
    case enforce
    /// The same, and denied paths are reported too. Every call that names a path waits for the broker's answer, so the
    /// program runs slower. The same calls and paths are denied.
    case explain
    /// Calls and paths that the policy denies are reported and then performed. Only for trusted programs: nothing
    /// protects the host's files from the program. Its pid and user namespaces and its limits remain.
    case permissive
    /// Every call is performed and recorded, so that a policy can be proposed from it. Only for trusted programs, like
    /// `permissive`.
    case learn

    /// Whether calls that the policy denies are performed all the same.
    public var isPermissive: Bool { self == .permissive || self == .learn }
    /// Whether denied paths are reported.
    public var judgesPaths: Bool { self != .enforce }
}
