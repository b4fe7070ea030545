/// What becomes of what the policy refuses, and how much is told about it.
///
/// A sandbox is in another mode than `enforce` only where whoever launches it names that mode, and its report says so.
public enum DenialMode: String, Sendable, Hashable, CaseIterable {
    /// Refused calls are refused and reported. What mounts and Landlock refuse raises no report.
    case enforce
    /// The same, and refused paths are reported too. Every call that names a path waits for the broker's answer, so the
    /// program runs slower; what is refused does not change.
    case explain
    /// Refused calls and paths are only reported, and done. For trusted programs only: nothing protects the host's
    /// files from the program; pid and user namespaces and the limits remain.
    case permissive
    /// Everything is done and recorded, to propose a policy from. For trusted programs only, as `permissive`.
    case learn

    /// Whether what the policy refuses is done all the same.
    public var isPermissive: Bool { self == .permissive || self == .learn }
    /// Whether paths are judged.
    public var judgesPaths: Bool { self != .enforce }
}
