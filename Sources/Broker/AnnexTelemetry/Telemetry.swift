internal import AnnexBrokerAPI
internal import AnnexHost
internal import CoreMetrics
internal import Synchronization

/// Names and numbers of what is measured.
final class Telemetry: HostObserver {
    /// One for each extension: what is counted up and down is one backend's number, and every new meter may begin at 0.
    private let running = Mutex<[String: Meter]>([:])
    /// Identifiers that have series of their own.
    private let known = Mutex<Set<String>>([])

    /// So many extensions have series of their own. A program may be asked to launch any identifier, and every series is
    /// kept for ever; what comes later is counted together.
    static let mostExtensions = 1_000
    static let others = "other"

    /// What an extension is called in a series.
    func label(_ identifier: String) -> String {
        known.withLock { known in
            guard !known.contains(identifier) else { return identifier }
            guard known.count < Self.mostExtensions else { return Self.others }
            known.insert(identifier)
            return identifier
        }
    }

    func launching(_ identifier: String) -> any SessionObserver {
        let identifier = label(identifier)
        Counter(label: "annex_launches", dimensions: [("extension", identifier)]).increment()
        let meter = running.withLock { running in
            let meter = running[identifier] ?? Meter(label: "annex_running", dimensions: [("extension", identifier)])
            running[identifier] = meter
            return meter
        }
        meter.increment()
        return SessionTelemetry(identifier, running: meter)
    }

    func refused(_ identifier: String, _ error: BrokerError) {
        Counter(
            label: "annex_launches_rejected",
            dimensions: [("extension", label(identifier)), ("code", error.code.rawValue)]
        ).increment()
    }
}
