/// One line of what is to be reached, as a comparison within one scene.
public struct Requirement: Sendable {
    public enum Measure: String, Codable, Sendable {
        case p50, p99
        /// Messages a second.
        case rate
    }

    public enum Bound: Sendable {
        /// Ours at most so many times the best of the others.
        case atMost(Double)
        /// Ours at least so many times the best of the others.
        case atLeast(Double)
        /// Ours at most so many microseconds above the best of the others.
        case atMostAbove(microseconds: Double)
    }

    public let title: String
    public let scene: String
    public let subject: String
    /// The names of those it is held against; the best of them counts, slice by slice.
    public let against: [String]
    /// What they are called together.
    public let baseline: String
    public let measure: Measure
    public let bound: Bound

    public init(
        _ title: String, in scene: String, subject: String, against: [String], called baseline: String,
        by measure: Measure = .p50, bound: Bound
    ) {
        self.title = title
        self.scene = scene
        self.subject = subject
        self.against = against
        self.baseline = baseline
        self.measure = measure
        self.bound = bound
    }
}
