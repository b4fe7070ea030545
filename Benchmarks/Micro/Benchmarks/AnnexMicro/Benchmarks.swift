import Benchmark

/// What `make bench-micro` runs: each a step that a call or a launch is made of, in this process alone.
let benchmarks: @Sendable () -> Void = {
    Benchmark.defaultConfiguration = .init(
        metrics: [.wallClock, .cpuTotal, .throughput], warmupIterations: 3, scalingFactor: .kilo,
        maxDuration: .seconds(2))
    codecBenchmarks()
    ringBenchmarks()
    callBenchmarks()
    policyBenchmarks()
    bundleBenchmarks()
}
