import Benchmark

@testable import AnnexChannel
@testable import AnnexMessages

func codecBenchmarks() {
    Benchmark("codec: encode a message of four fields") { benchmark in
        let sample = Sample()
        var encoder = MessageEncoder()
        benchmark.startMeasurement()
        for _ in benchmark.scaledIterations {
            encoder.reset()
            sample.encode(into: &encoder)
            blackHole(encoder.failure)
        }
    }
    Benchmark("codec: decode it") { benchmark in
        let bytes = try Sample().encoded()
        benchmark.startMeasurement()
        for _ in benchmark.scaledIterations { blackHole(try Sample(decoding: bytes)) }
    }
}
