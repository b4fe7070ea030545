/// The processors on which the two processes run. Only runs with the same placement are compared.
public enum Placement: String, Codable, Sendable, CaseIterable {
    case sameCore = "one core"
    case twoCores = "two cores"
    /// The kernel chooses the processors. A scene with this placement is shown, but never judged.
    case anywhere = "unpinned"

    /// The processors of client and server, as the driver reads them.
    var processors: (client: String, server: String) {
        switch self {
        case .sameCore: ("0", "0")
        case .twoCores: ("0", "1")
        case .anywhere: ("any", "any")
        }
    }
}
