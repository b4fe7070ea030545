package import Histogram

/// The measurement of one contestant in one slice.
package struct Outcome {
    /// The summary that the driver prints at its end.
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
    /// Picoseconds per call, from batches if there were any. With batches, minimum, median and mean do not contain the
    /// time of reading the clock.
    package let batched: Histogram<UInt64>?
    /// Picoseconds per call, each call measured alone.
    package let single: Histogram<UInt64>?

    /// The better source for the middle of the distribution.
    var middle: Histogram<UInt64>? { batched ?? single }
    /// The correct source for the tail, because averages over batches have no tail.
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
