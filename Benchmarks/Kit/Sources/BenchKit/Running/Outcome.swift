package import Histogram

/// What one slice of one contestant measured.
package struct Outcome {
    /// What the driver prints when it is done.
    package struct Summary: Decodable {
        package let calls: UInt64
        package let wrong: UInt64
        /// Nanoseconds.
        package let elapsed: UInt64
        package let clientProcessor: UInt64
        package let serverProcessor: UInt64

        package init(
            calls: UInt64, wrong: UInt64, elapsed: UInt64, clientProcessor: UInt64, serverProcessor: UInt64
        ) {
            self.calls = calls
            self.wrong = wrong
            self.elapsed = elapsed
            self.clientProcessor = clientProcessor
            self.serverProcessor = serverProcessor
        }
    }

    package let summary: Summary
    /// Picoseconds a call, from batches where there were any: minimum, middle and mean without the clock's own time.
    package let batched: Histogram<UInt64>?
    /// Picoseconds a call, each by itself.
    package let single: Histogram<UInt64>?

    /// The better of the two for the middle of the distribution.
    var middle: Histogram<UInt64>? { batched ?? single }
    /// The honest one for its tail: an average over a batch has none.
    var tail: Histogram<UInt64>? { single ?? batched }

    package init(summary: Summary, batched: Histogram<UInt64>?, single: Histogram<UInt64>?) {
        self.summary = summary
        self.batched = batched
        self.single = single
    }

    package func value(_ measure: Requirement.Measure) -> Double? {
        switch measure {
        case .p50: middle.map { Double($0.valueAtPercentile(50)) }
        case .p99: tail.map { Double($0.valueAtPercentile(99)) }
        case .rate: summary.elapsed > 0 ? Double(summary.calls) * 1e9 / Double(summary.elapsed) : nil
        }
    }
}
