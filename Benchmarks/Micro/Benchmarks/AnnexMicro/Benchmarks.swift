import Benchmark

/// The benchmarks of `make bench-micro`. Each measures one step of a call or of a launch. It uses only this process.
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
