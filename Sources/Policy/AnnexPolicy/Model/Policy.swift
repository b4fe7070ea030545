/// What one kind of program may do: read from a page of text, includes already joined in.
///
/// One value feeds every layer: the seccomp filter, the mounts, the limits, the environment.
public struct Policy: Sendable, Hashable {
    /// For example `com.apple.photo-editing`.
    public let name: String
    /// One sentence for people.
    public let summary: String
    /// Whose system calls the rules are about.
    public let architecture: Architecture
    public package(set) var limits: PolicyLimits
    public internal(set) var paths: PolicyPaths
    /// Device nodes that there are inside.
    public let devices: [PolicyDevice]
    public let network: PolicyNetwork
    /// Whether memory that was ever writable can never become executable.
    public let writeXorExecute: Bool
    public let environment: PolicyEnvironment

    var book: RuleBook
    let unlisted: UnlistedCalls
    /// Where each section is stated.
    let places: [PolicySection: PolicyPlace]

    /// Every call that the policy mentions, by number; the first rule that applies decides.
    var rules: [Int32: [CallRule]] {
        get { book.contents.rules }
        set { book = RuleBook(RuleBook.Contents(rules: newValue, wider: widerRules)) }
    }

    /// What the text says about the calls that `write-xor-execute` then narrowed: for reports, never for decisions.
    var widerRules: [Int32: [CallRule]] { book.contents.wider }

    /// Calls that some rule allows, by name, the launch's own among them.
    public var allowedCalls: [String] {
        let allowed = rules.values.filter { $0.contains { $0.answer == .allow } }.compactMap(\.first?.call)
        return Set(allowed).union(LaunchCalls.names).union([LaunchCalls.exec]).sorted()
    }
}
