/// The result of one try, or of all tries of one attack.
package enum TryVerdict: Sendable, Hashable {
    /// The try was stopped by these layers, which are in force, or by a property of every sandbox (limits, an ordinary
    /// user).
    case stopped(by: [String])
    /// This line of the policy allows the try on purpose.
    case allowed(by: String)
    case notApplicable(String)
    case drivenBy([String])
    case gotThrough

    package var word: String {
        switch self {
        case .stopped: "stopped"
        case .allowed: "allowed on purpose"
        case .notApplicable: "not applicable"
        case .drivenBy: "driven by tests"
        case .gotThrough: "GOT THROUGH"
        }
    }

    /// The layers, the line or the reason behind the verdict.
    package var reason: String {
        switch self {
        case .stopped(let layers): layers.joined(separator: ", ")
        case .allowed(let line): line
        case .notApplicable(let reason): reason
        case .drivenBy(let tests): tests.joined(separator: "; ")
        case .gotThrough: ""
        }
    }
}
