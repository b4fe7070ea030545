/// Why a policy cannot be used: where, what, and what was probably meant.
public struct PolicyError: Error, Sendable, Hashable {
    /// Where in which file; nil when no text is at fault.
    public let place: PolicyPlace?
    /// What is wrong, as a phrase without a full stop.
    public let problem: String
    /// The nearest name that would have been right.
    public let suggestion: String?

    public init(_ problem: String, at place: PolicyPlace? = nil, suggestion: String? = nil) {
        self.place = place
        self.problem = problem
        self.suggestion = suggestion
    }
}

extension PolicyError: CustomStringConvertible {
    public var description: String {
        let start = place.map { "\($0): " } ?? ""
        let end = suggestion.map { "; did you mean `\($0)`?" } ?? ""
        return start + problem + end
    }
}
