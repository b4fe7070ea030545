/// What came of one try, or of all tries of one attack.
package enum TryVerdict: Sendable, Hashable {
    /// By these layers, which are in force, or by what the sandbox always has (limits, an ordinary user).
    case stopped(by: [String])
    /// On purpose: by this line of the policy.
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

    /// By what, or why.
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
