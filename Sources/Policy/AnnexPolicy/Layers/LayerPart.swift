/// How far one layer alone can enforce one statement of a policy.
public enum LayerPart: Sendable, Hashable {
    /// The layer enforces the whole statement.
    case whole
    /// The layer enforces a part of it. The phrase names the part that it does not enforce.
    case partly(String)
    /// The layer does not enforce it, for the reason given.
    case none(String)

    /// The part that the layer does not enforce, or the reason why it enforces nothing; nil if it enforces the whole
    /// statement.
    public var gap: String? {
        switch self {
        case .whole: nil
        case .partly(let gap), .none(let gap): gap
        }
    }
}
