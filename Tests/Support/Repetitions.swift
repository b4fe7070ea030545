import Foundation

/// How often a test repeats what it does: a short form, or the number in a variable, which `make` sets for a long run.
public struct Repetitions: Sendable {
    public let count: Int

    public init(_ variable: String, short: Int) {
        count = ProcessInfo.processInfo.environment[variable].flatMap(Int.init) ?? short
    }

    /// The minutes after which the test counts as hanging. A busy machine makes far more than a hundred repetitions in
    /// a minute.
    public var watchdog: Int { 20 + count / 100 }
}
