import CoreMetrics
import MetricsTestKit
import Synchronization

/// Test metrics that also count the requested meters. The count matters, because not every backend gives the same
/// number to two meters of one name.
final class CountingMetrics: MetricsFactory {
    let kept = TestMetrics()
    private let asked = Mutex(0)

    var meters: Int { asked.withLock { $0 } }

    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        asked.withLock { $0 += 1 }
        return kept.makeMeter(label: label, dimensions: dimensions)
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        kept.makeCounter(label: label, dimensions: dimensions)
    }

    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        kept.makeRecorder(label: label, dimensions: dimensions, aggregate: aggregate)
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        kept.makeTimer(label: label, dimensions: dimensions)
    }

    func destroyMeter(_ handler: any MeterHandler) { kept.destroyMeter(handler) }
    func destroyCounter(_ handler: any CounterHandler) { kept.destroyCounter(handler) }
    func destroyRecorder(_ handler: any RecorderHandler) { kept.destroyRecorder(handler) }
    func destroyTimer(_ handler: any TimerHandler) { kept.destroyTimer(handler) }
}
