/// How often a test repeats what it does: a short form, or the number in a variable, which `make` sets for a long run.
public struct Repetitions: Sendable {
    public let count: Int

    public init(_ variable: String, short: Int) {
        count = GivenNumber.of(variable) ?? short
    }

    /// The minutes after which the test counts as hanging. On two busy cores, ten thousand kills of `annexd` took 35
    /// minutes.
    public var watchdog: Int { 20 + count / 100 }
}
