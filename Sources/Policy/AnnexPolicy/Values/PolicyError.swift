/// A mistake because of which a policy cannot be used.
public struct PolicyError: Error, Sendable, Hashable {
    /// The place of the mistake; nil if no text is at fault.
    public let place: PolicyPlace?
    /// The problem, as a phrase without a full stop.
    public let problem: String
    /// The nearest known name, if the mistake may be a misspelled name.
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

/// A place in a policy's text. Lines and columns count from 1.
public struct PolicyPlace: Sendable, Hashable {
    /// The file's name, for example `compute.yaml`.
    public let file: String
    public let line: Int
    public let column: Int

    public init(file: String, line: Int, column: Int) {
        self.file = file
        self.line = line
        self.column = column
    }

    /// Whether this place is read before the other.
    package func comesBefore(_ other: PolicyPlace) -> Bool {
        (file, line, column) < (other.file, other.line, other.column)
    }
}

extension PolicyPlace: CustomStringConvertible {
    public var description: String { "\(file):\(line):\(column)" }
}
