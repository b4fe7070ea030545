/// When each step of a launch was over, on `MonotonicClock`.
package struct LaunchTimes: Sendable, Hashable {
    /// When the warden had read the plan.
    package let begun: UInt64
    /// By step; 0 for one that was not reached.
    let ends: [UInt64]

    init(begun: UInt64, ends: [UInt64]) {
        self.begun = begun
        self.ends = ends
    }

    /// The moment at which a step was over; nil where it was not reached.
    package func end(of step: LaunchStep) -> UInt64? {
        let place = Int(step.rawValue)
        guard place < ends.count, ends[place] != 0 else { return nil }
        return ends[place]
    }

    /// The steps as they were over, one after another, with the time since the one before.
    ///
    /// Warden and child work side by side in the middle of it; the sum is the whole launch.
    package var durations: [(step: LaunchStep, duration: Duration)] {
        var before = begun
        let reached = LaunchStep.allCases.compactMap { step in end(of: step).map { (step, $0) } }
        return reached.sorted { $0.1 < $1.1 }.map { step, end in
            defer { before = max(before, end) }
            return (step, .nanoseconds(Int64(clamping: end > before ? end - before : 0)))
        }
    }
}
