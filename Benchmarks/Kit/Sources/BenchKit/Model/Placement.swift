/// Where the two processes run. Only runs that are placed alike are compared.
public enum Placement: String, Codable, Sendable, CaseIterable {
    case sameCore = "one core"
    case twoCores = "two cores"
    /// Wherever the kernel puts them: luck decides. Shown, never judged.
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
