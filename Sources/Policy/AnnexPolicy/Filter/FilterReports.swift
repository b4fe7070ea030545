/// Which calls a filter tells its listener about, who then answers them.
///
/// What the launch itself needs is never told: nobody could answer yet.
public enum FilterReports: Sendable, Hashable, CaseIterable {
    /// What is refused aloud, ends the process, or is allowed within bounds.
    case refusals
    /// Also every allowed call that can name a path, so that refused paths can be explained.
    case paths
    /// Every call that the policy allows, too.
    case everything

    /// Whether a call that the policy allows is told all the same.
    func includesAllowed(_ call: SystemCall) -> Bool {
        switch self {
        case .refusals: false
        case .paths: call.takesPaths
        case .everything: true
        }
    }
}
