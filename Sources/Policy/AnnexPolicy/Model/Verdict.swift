/// A policy's decision about one call, and the line that makes it.
public struct Verdict: Sendable, Hashable {
    public let answer: CallAnswer
    /// The layer that refuses the call; nil if the call is allowed.
    public let layer: SandboxLayer?
    /// The line that decides.
    public let place: PolicyPlace
    /// The reason that the line states; nil if the policy does not list the call.
    public let reason: String?
    /// The entry that would allow the call if it is added under `allow:`, in the policy's language; nil if the call is
    /// allowed or no entry can allow it.
    public let remedy: String?
    /// The budget that an allowed call is counted against; nil if the kernel lets the call pass by itself.
    public var bound: CallBound? = nil
}
