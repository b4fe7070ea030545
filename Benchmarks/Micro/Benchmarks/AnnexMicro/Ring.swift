import Benchmark

@testable import AnnexChannel

func ringBenchmarks() {
    Benchmark("ring: write 64 B, publish, check and copy out, one thread") { benchmark in
        let ends = try HostEndpoint.make()
        let endpoint = try ExtensionEndpoint(ends.descriptors, waiting: .spin)
        let message = [UInt8](repeating: 7, count: 64)
        var room = [UInt8](repeating: 0, count: 64)
        benchmark.startMeasurement()
        for _ in benchmark.scaledIterations {
            try ends.host.post(7, message.span.bytes, flush: true)
            var span = room.mutableSpan
            var target = span.mutableBytes
            blackHole(try endpoint.nextPost(into: &target)?.count)
        }
        benchmark.stopMeasurement()
        ends.host.end(with: "measured")
    }
    Benchmark("ring: read and check one header") { benchmark in
        let ends = try HostEndpoint.make()
        let endpoint = try ExtensionEndpoint(ends.descriptors, waiting: .spin)
        try ends.host.post(7, [UInt8](repeating: 7, count: 64).span.bytes)
        benchmark.startMeasurement()
        for _ in benchmark.scaledIterations { blackHole(try endpoint.core.receiver.reader.look()?.length) }
        benchmark.stopMeasurement()
        ends.host.end(with: "measured")
    }
}
