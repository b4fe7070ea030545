import AnnexLinux

/// The times of one operation, in nanoseconds.
struct Samples {
    private var times: [UInt64] = []

    mutating func time(_ body: () throws -> Void) rethrows {
        let begun = MonotonicClock.now()
        try body()
        times.append(MonotonicClock.now() - begun)
    }

    mutating func time(_ body: () async throws -> Void) async rethrows {
        let begun = MonotonicClock.now()
        try await body()
        times.append(MonotonicClock.now() - begun)
    }

    func quantile(_ part: Double) -> Double {
        let sorted = times.sorted()
        return sorted.isEmpty ? 0 : Double(sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))]) / 1000
    }
}

/// One line of the table.
/// - Parameters:
///   - each: the number of repetitions in one sample.
///   - part: the quantile that the ratio compares.
func row(_ what: String, _ own: Samples, floor: Samples, each: Double = 1, comparing part: Double = 0.5) {
    func text(_ value: Double) -> String {
        let shown = String(Double((value * 100).rounded()) / 100)
        return String(repeating: " ", count: max(1, 11 - shown.count)) + shown
    }
    let figures = [own.quantile(0.5), own.quantile(0.99), floor.quantile(0.5), floor.quantile(0.99)].map { $0 / each }
    let ratio = own.quantile(part) / max(floor.quantile(part), 0.001)
    print(
        what + String(repeating: " ", count: max(1, 34 - what.count)) + figures.map(text).joined()
            + String(repeating: " ", count: 2) + text(ratio))
}
