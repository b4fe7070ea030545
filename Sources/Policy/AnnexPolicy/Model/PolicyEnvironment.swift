/// The environment that an extension starts with; nothing else is passed on.
public struct PolicyEnvironment: Sendable, Hashable {
    /// Names whose values are taken from the host.
    public internal(set) var passed: [String] = []
    /// Names with fixed values.
    public internal(set) var fixed: [String: String] = [:]

    package init(passed: [String] = [], fixed: [String: String] = [:]) {
        self.passed = passed
        self.fixed = fixed
    }
}
