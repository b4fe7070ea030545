extension LaunchReport {
    /// Who holds a limit.
    public enum Enforcement: String, Sendable, Hashable {
        /// The kernel: what would pass it fails, or ends the extension, at that moment.
        case enforced
        /// Annex looks after it, and ends the extension when it sees that the limit was passed. Memory is watched where
        /// the machine gives no control group: allocation fails at the limit (`RLIMIT_DATA`), and the rest is looked at.
        case watched
    }

    /// One limit of the extension's policy.
    public struct Limit: Sendable, Hashable {
        /// As policies spell it, for example `memory`.
        public let name: String
        /// As policies write it, for example `64M`, `10s` or `32`.
        public let bound: String
        public let enforcement: Enforcement
        /// What holds it, for example `control group` or `RLIMIT_NOFILE`.
        public let keeper: String

        package init(name: String, bound: String, enforcement: Enforcement, keeper: String) {
            self.name = name
            self.bound = bound
            self.enforcement = enforcement
            self.keeper = keeper
        }
    }
}
