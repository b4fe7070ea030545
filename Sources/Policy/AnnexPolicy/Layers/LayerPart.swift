/// How far one layer can say one statement of a policy, whatever the other layers do.
public enum LayerPart: Sendable, Hashable {
    /// It holds the statement alone.
    case whole
    /// It holds some of it; what it does not, as a phrase.
    case partly(String)
    /// It cannot say it, and why.
    case none(String)

    /// Why the layer does not hold the whole; nil where it does.
    public var gap: String? {
        switch self {
        case .whole: nil
        case .partly(let gap), .none(let gap): gap
        }
    }
}
