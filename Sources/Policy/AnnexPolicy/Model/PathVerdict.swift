/// A policy's decision about one path, and the layers that enforce it.
public struct PathVerdict: Sendable, Hashable {
    public let isAllowed: Bool
    /// Every layer that refuses by itself. The layer that answers first comes first.
    public let refusedBy: [SandboxLayer]
    /// The errno with which the call fails; nil if the path is allowed.
    public let errno: Int32?
    /// The line that decides; nil if no line is about the path.
    public let place: PolicyPlace?
    /// The reason that the line states.
    public let reason: String?
    /// The entry that would allow the path if it is added under `paths:`, in the policy's language; nil if the path is
    /// allowed, or if no policy may allow it.
    public let remedy: String?
}
