internal import Histogram

/// The sums over all slices of one contestant in one run.
struct Tally {
    private(set) var batched: Histogram<UInt64>?
    private(set) var single: Histogram<UInt64>?
    private(set) var calls: UInt64 = 0
    private(set) var elapsed: UInt64 = 0
    private(set) var clientProcessor: UInt64 = 0
    private(set) var serverProcessor: UInt64 = 0

    mutating func add(_ outcome: Outcome) {
        Self.merge(outcome.batched, into: &batched)
        Self.merge(outcome.single, into: &single)
        calls += outcome.summary.calls
        elapsed += outcome.summary.elapsed
        clientProcessor += outcome.summary.clientProcessor
        serverProcessor += outcome.summary.serverProcessor
    }

    mutating func add(_ other: Tally) {
        Self.merge(other.batched, into: &batched)
        Self.merge(other.single, into: &single)
        calls += other.calls
        elapsed += other.elapsed
        clientProcessor += other.clientProcessor
        serverProcessor += other.serverProcessor
    }

    private static func merge(_ other: Histogram<UInt64>?, into histogram: inout Histogram<UInt64>?) {
        guard let other else { return }
        if histogram == nil { histogram = other } else { histogram?.add(other) }
    }
}
