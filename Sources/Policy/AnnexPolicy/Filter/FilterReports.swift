/// The calls that a filter refers to its listener, which then answers them.
///
/// Calls that the launch itself needs are never referred: at that time no listener could answer.
public enum FilterReports: Sendable, Hashable, CaseIterable {
    /// Calls whose refusal is reported, that end the process, or that are allowed within bounds.
    case refusals
    /// Also every allowed call that can name a path, so that refused paths can be explained.
    case paths
    /// Also every other allowed call.
    case everything

    /// Whether the filter refers a call that the policy allows.
    func includesAllowed(_ call: SystemCall) -> Bool {
        switch self {
        case .refusals: false
        case .paths: call.takesPaths
        case .everything: true
        }
    }
}
