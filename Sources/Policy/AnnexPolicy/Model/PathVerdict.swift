/// What a policy says about one path, and which layers hold it.
public struct PathVerdict: Sendable, Hashable {
    public let isAllowed: Bool
    /// Every layer that refuses by itself, the one that answers first.
    public let refusedBy: [SandboxLayer]
    /// What the call fails with; nil where it is allowed.
    public let errno: Int32?
    /// The line that decides; nil where none speaks of the path.
    public let place: PolicyPlace?
    /// Why that line is there.
    public let reason: String?
    /// The entry that would allow it when it is added under `paths:`, in the policy's own language; nil where it is
    /// allowed, and where no policy may allow it.
    public let remedy: String?
}
