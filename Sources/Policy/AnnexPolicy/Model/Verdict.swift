/// What a policy says about one call, and where it says so.
public struct Verdict: Sendable, Hashable {
    public let answer: CallAnswer
    /// The layer that refuses; nil for what is allowed.
    public let layer: SandboxLayer?
    /// The line that decides.
    public let place: PolicyPlace
    /// Why that line is there; nil for what the policy does not list.
    public let reason: String?
    /// The entry that would allow the call when it is added under `allow:`, in the policy's own language.
    public let remedy: String?
    /// What an allowed call is counted against; nil: the kernel lets it pass by itself.
    public var bound: CallBound? = nil
}
