internal import AnnexHost
internal import AnnexService
internal import CoreMetrics

/// Names and numbers of what is measured.
struct Telemetry: HostObserver {
    func launching(_ identifier: String) -> any SessionObserver {
        Counter(label: "annex_launches", dimensions: [("extension", identifier)]).increment()
        Meter(label: "annex_running", dimensions: [("extension", identifier)]).increment()
        return SessionTelemetry(identifier)
    }

    func refused(_ identifier: String, _ error: ServiceError) {
        Counter(
            label: "annex_refusals", dimensions: [("extension", identifier), ("code", error.code.rawValue)]
        ).increment()
    }
}
