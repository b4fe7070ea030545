internal import AnnexHost
internal import AnnexService
internal import CoreMetrics
internal import Synchronization

/// Names and numbers of what is measured.
final class Telemetry: HostObserver {
    /// One for each extension: what is counted up and down is one backend's number, and every new meter may begin at 0.
    private let running = Mutex<[String: Meter]>([:])

    func launching(_ identifier: String) -> any SessionObserver {
        Counter(label: "annex_launches", dimensions: [("extension", identifier)]).increment()
        let meter = running.withLock { running in
            let meter = running[identifier] ?? Meter(label: "annex_running", dimensions: [("extension", identifier)])
            running[identifier] = meter
            return meter
        }
        meter.increment()
        return SessionTelemetry(identifier, running: meter)
    }

    func refused(_ identifier: String, _ error: ServiceError) {
        Counter(
            label: "annex_refusals", dimensions: [("extension", identifier), ("code", error.code.rawValue)]
        ).increment()
    }
}
