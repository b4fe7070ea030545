/// A policy: what one kind of program may do, read from YAML text with all includes joined in.
///
/// Every layer is made from this one value: the seccomp filter, the mounts, the limits and the environment.
public struct Policy: Sendable, Hashable {
    /// The policy's name, for example `com.apple.photo-editing`.
    public let name: String
    /// One sentence that describes the policy to people.
    public let summary: String
    /// The architecture whose system calls the rules are about.
    public let architecture: Architecture
    public package(set) var limits: PolicyLimits
    public internal(set) var paths: PolicyPaths
    /// The device nodes that the sandbox contains.
    public let devices: [PolicyDevice]
    public let network: PolicyNetwork
    /// Whether memory that was ever writable can never become executable.
    public let writeXorExecute: Bool
    public let environment: PolicyEnvironment

    var book: RuleBook
    let unlisted: UnlistedCalls
    /// The place in the text that states each section.
    let places: [PolicySection: PolicyPlace]

    /// The rules for each call that the policy mentions, by call number. The first rule that applies decides.
    var rules: [Int32: [CallRule]] {
        get { book.contents.rules }
        set { book = RuleBook(RuleBook.Contents(rules: newValue, wider: widerRules)) }
    }

    /// The rules, as the text states them, for the calls that `write-xor-execute` narrowed. They serve reports, never
    /// decisions.
    var widerRules: [Int32: [CallRule]] { book.contents.wider }

    /// The names of the calls that some rule allows, together with the calls that every launch needs.
    public var allowedCalls: [String] {
        let allowed = rules.values.filter { $0.contains { $0.answer == .allow } }.compactMap(\.first?.call)
        return Set(allowed).union(LaunchCalls.names).union([LaunchCalls.exec]).sorted()
    }
}
