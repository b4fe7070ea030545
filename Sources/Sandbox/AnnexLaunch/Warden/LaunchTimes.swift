/// The time at which each step of a launch ended, on `MonotonicClock`.
package struct LaunchTimes: Sendable, Hashable {
    /// The time at which the warden had read the plan.
    package let begun: UInt64
    /// The end of each step, by its number; 0 for a step that was not reached.
    let ends: [UInt64]

    init(begun: UInt64, ends: [UInt64]) {
        self.begun = begun
        self.ends = ends
    }

    /// The time at which a step ended; nil if it was not reached.
    package func end(of step: LaunchStep) -> UInt64? {
        let place = Int(step.rawValue)
        guard place < ends.count, ends[place] != 0 else { return nil }
        return ends[place]
    }

    /// The steps in the order of their ends, each with the time since the end of the one before.
    ///
    /// Warden and child run in parallel during some steps. The sum is the time of the whole launch.
    package var durations: [(step: LaunchStep, duration: Duration)] {
        var before = begun
        let reached = LaunchStep.allCases.compactMap { step in end(of: step).map { (step, $0) } }
        return reached.sorted { $0.1 < $1.1 }.map { step, end in
            defer { before = max(before, end) }
            return (step, .nanoseconds(Int64(clamping: end > before ? end - before : 0)))
        }
    }
}
