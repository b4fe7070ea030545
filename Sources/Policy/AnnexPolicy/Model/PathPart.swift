/// Parts of what a sandbox gets that its program may not read, or not change.
public struct PathPart: Sendable, Hashable {
    /// What happens to the parts.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The program can neither read nor change them.
        case hide
        /// The program can read them and not change them.
        case protect
    }

    public let kind: Kind
    /// Which parts these are.
    public let pattern: PathPattern
    public let reason: String
    /// Where the policy states the pattern; nil if a caller added it.
    let stated: StatedPlace?

    package init(_ kind: Kind, matching pattern: PathPattern, reason: String, place: PolicyPlace?) {
        (self.kind, self.pattern, self.reason) = (kind, pattern, reason)
        stated = place.map { StatedPlace($0) }
    }

    /// The line of the policy that states the pattern; nil if a caller added it.
    public var place: PolicyPlace? { stated?.place }

    /// Whether a caller added the pattern.
    package var isCallers: Bool { stated == nil }
}

extension Policy {
    /// This policy with additional hidden and protected parts.
    package func dividing(_ parts: [PathPart]) -> Policy {
        guard !parts.isEmpty else { return self }
        var policy = self
        policy.paths.parts += parts.filter { !policy.paths.parts.contains($0) }
        return policy
    }
}
