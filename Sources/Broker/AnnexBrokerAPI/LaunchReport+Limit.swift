extension LaunchReport {
    /// How a limit is held.
    public enum Enforcement: String, Sendable, Hashable {
        /// The kernel holds it. Whatever would pass the limit fails, or ends the extension, at that moment.
        case enforced
        /// Annex measures the use from time to time, and ends the extension when it finds the limit passed. Memory is
        /// watched if the machine offers no control group. `RLIMIT_DATA` then fails each allocation past the limit, and
        /// Annex checks the memory that it does not cover.
        case watched
    }

    /// One limit of the extension's policy.
    public struct Limit: Sendable, Hashable {
        /// The limit's name as policies spell it, for example `memory`.
        public let name: String
        /// The bound as policies write it, for example `64M`, `10s` or `32`.
        public let bound: String
        /// How the limit is held.
        public let enforcement: Enforcement
        /// The mechanism that holds the limit, for example `control group` or `RLIMIT_NOFILE`.
        public let keeper: String

        package init(name: String, bound: String, enforcement: Enforcement, keeper: String) {
            self.name = name
            self.bound = bound
            self.enforcement = enforcement
            self.keeper = keeper
        }
    }
}
