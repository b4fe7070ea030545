public import AnnexPolicy

/// A part of a policy, or of the file of an extension point, that its author should examine.
public struct PolicyFinding: Sendable, Hashable {
    /// How serious a finding is.
    public enum Severity: String, Sendable, Hashable {
        /// The policy cannot be used.
        case error
        /// The policy can be used, but allows more or less than it seems to.
        case warning
    }

    public let severity: Severity
    /// The place of the finding; nil if it does not concern a line.
    public let place: PolicyPlace?
    /// The problem, as a phrase.
    public let problem: String
    /// The remedy, as a phrase; nil if it is obvious from the problem.
    public let remedy: String?

    package init(_ problem: String, at place: PolicyPlace?, remedy: String?, severity: Severity = .warning) {
        self.problem = problem
        self.place = place
        self.remedy = remedy
        self.severity = severity
    }

    /// Creates the finding for a policy that cannot be read.
    public init(_ error: PolicyError) {
        self.init(
            error.problem, at: error.place, remedy: error.suggestion.map { "did you mean `\($0)`?" }, severity: .error)
    }

    package var json: JSON {
        .object([
            .init("severity", value: .text(severity.rawValue)), .init("place", value: place?.json ?? .null),
            .init("problem", value: .text(problem)), .init("remedy", value: .optional(remedy)),
        ])
    }
}

extension PolicyFinding: CustomStringConvertible {
    public var description: String {
        (place.map { "\($0): " } ?? "") + "\(severity.rawValue): \(problem)" + (remedy.map { "; \($0)" } ?? "")
    }
}
