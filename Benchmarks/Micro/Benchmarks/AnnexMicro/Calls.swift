import AnnexChannel
import AnnexLinux
import Benchmark
import Foundation

func callBenchmarks() {
    Benchmark("call: raw, 64 B there and back, a thread answers", configuration: .init(scalingFactor: .kilo)) {
        benchmark in
        let (host, done) = try answered { endpoint in
            try endpoint.serve { _, request, reply in
                for index in 0..<request.byteCount {
                    reply.storeBytes(
                        of: request.unsafeLoad(fromByteOffset: index, as: UInt8.self), toByteOffset: index,
                        as: UInt8.self)
                }
                return request.byteCount
            } post: { method, _ in
                method != ChannelEvent.goodbye
            }
        }
        let message = [UInt8](repeating: 7, count: 64)
        var room = [UInt8](repeating: 0, count: 64)
        benchmark.startMeasurement()
        for _ in benchmark.scaledIterations {
            var span = room.mutableSpan
            var target = span.mutableBytes
            blackHole(try host.callAndWait(7, message.span.bytes, into: &target))
        }
        benchmark.stopMeasurement()
        try finish(host, awaiting: done)
    }
    Benchmark("call: typed, four fields there and back, a thread answers") { benchmark in
        let (host, done) = try answered { endpoint in
            var service = ChannelService()
            service.serve(Sample.self) { $0 }
            try service.serve(endpoint)
        }
        let sample = Sample()
        benchmark.startMeasurement()
        for _ in benchmark.scaledIterations { blackHole(try host.callAndWait(sample)) }
        benchmark.stopMeasurement()
        try finish(host, awaiting: done)
    }
}

/// A channel whose extension is a thread of this process. Both sides spin instead of sleeping.
private func answered(
    _ body: @escaping @Sendable (borrowing ExtensionEndpoint) throws -> Void
) throws -> (HostEndpoint, DispatchSemaphore) {
    var configuration = ChannelConfiguration()
    configuration.waiting = .spin
    let ends = try HostEndpoint.make(configuration: configuration)
    let held = Held(ends.descriptors)
    let done = DispatchSemaphore(value: 0)
    Thread {
        defer { done.signal() }
        do {
            guard let descriptors = held.take() else { return }
            let endpoint = try ExtensionEndpoint(descriptors, waiting: .spin)
            try endpoint.sayHello()
            try body(endpoint)
        } catch {
            print("the answering thread ended: \(error)")
        }
    }.start()
    return (ends.host, done)
}

private func finish(_ host: HostEndpoint, awaiting done: DispatchSemaphore) throws {
    try host.sendAndWait(ChannelEvent(method: ChannelEvent.goodbye))
    done.wait()
    host.end(with: "measured")
}
