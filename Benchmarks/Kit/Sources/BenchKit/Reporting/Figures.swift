internal import Histogram

/// One contestant's distribution in microseconds per call, and its processor time.
public struct Figures: Codable, Sendable {
    public let name: String
    public let kind: Contestant.Kind
    public let min, p50, p90, p99, p999, p9999, max, mean: Double
    public let calls: UInt64
    /// Calls or messages a second.
    public let rate: Double
    /// Both sides' processor seconds for a million calls.
    public let processorSeconds: Double
    /// The number of samples from which the tail is computed.
    public let samples: UInt64
}

extension Figures {
    init?(_ contestant: Contestant, tally: Tally) {
        guard let middle = tally.batched ?? tally.single, let tail = tally.single ?? tally.batched, tally.calls > 0
        else { return nil }
        let microseconds = { (value: UInt64) in Double(value) / 1e6 }
        let from = { (histogram: Histogram<UInt64>, percentile: Double) in
            microseconds(histogram.valueAtPercentile(percentile))
        }
        name = contestant.name
        kind = contestant.kind
        min = microseconds(middle.min)
        p50 = from(middle, 50)
        p90 = from(tail, 90)
        p99 = from(tail, 99)
        p999 = from(tail, 99.9)
        p9999 = from(tail, 99.99)
        max = microseconds(tail.max)
        mean = middle.mean / 1e6
        calls = tally.calls
        rate = Double(tally.calls) * 1e9 / Double(Swift.max(1, tally.elapsed))
        processorSeconds = Double(tally.clientProcessor + tally.serverProcessor) / Double(tally.calls) / 1e3
        samples = tail.totalCount
    }
}
