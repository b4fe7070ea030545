/// How a sandbox treats the calls and paths that its policy does not allow, and how much it reports.
///
/// The mode is `enforce` unless the launching code asks for another mode. The sandbox's report names its mode.
public enum DenialMode: String, Sendable, Hashable, CaseIterable {
    /// Calls that the policy denies fail and are reported. If mounts or Landlock deny a path, that is not reported, with
    /// one exception: a file of the caller that the program wanted to execute.
    case enforce
    /// Like `enforce`, but two more kinds of denials are reported: denied paths, and calls that `enforce` denies
    /// without a report. Every call that names a path waits for the broker's answer, so the program runs slower.
    /// `enforce` and `explain` deny the same calls and paths.
    case explain
    /// Calls and paths that the policy denies are reported and then performed. This mode is only for trusted programs:
    /// nothing protects the host's files from the program. The program still has its own pid and user namespaces and
    /// its limits.
    case permissive
    /// Every call is performed and recorded, so that a policy can be proposed from the record. Like `permissive`, this
    /// mode is only for trusted programs.
    case learn

    /// Whether calls that the policy denies are performed nevertheless.
    public var isPermissive: Bool { self == .permissive || self == .learn }
    /// Whether denied paths are reported.
    public var checksPaths: Bool { self != .enforce }
}
