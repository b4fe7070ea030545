/// One requirement, as a comparison within one scene.
public struct Requirement: Sendable {
    public enum Measure: String, Codable, Sendable {
        case p50, p99
        /// Messages a second.
        case rate
    }

    public enum Bound: Sendable {
        /// Annex's figure is at most this many times the best figure of the others.
        case atMost(Double)
        /// Annex's figure is at least this many times the best figure of the others.
        case atLeast(Double)
        /// Annex's figure is at most this many microseconds above the best figure of the others.
        case atMostAbove(microseconds: Double)
        /// Annex's figure is at most this many microseconds. It is not compared with another figure.
        case within(microseconds: Double)
    }

    public let title: String
    public let scene: String
    public let subject: String
    /// The names of the contestants with which Annex is compared. In each slice, the best of them counts.
    public let against: [String]
    /// The common name of these contestants. Empty if there are none.
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
