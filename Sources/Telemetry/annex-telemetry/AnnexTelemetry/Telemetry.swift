public import AnnexHost
internal import CoreMetrics
internal import Synchronization

/// Counts a host's launches, and makes the telemetry of each session.
final class Telemetry: HostObserver {
    /// One meter for each extension. Meters are kept, because a new meter for the same series may begin at 0 in some
    /// backends.
    private let running = Mutex<[String: Meter]>([:])
    /// The identifiers that have their own metric series.
    private let known = Mutex<Set<String>>([])

    /// The most extensions that have their own series. All other extensions share one series. A program may be asked to
    /// launch any identifier, and backends keep every series for ever.
    static let mostExtensions = 1_000
    static let others = "other"

    /// The name of an extension in a series.
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

    func rejected(_ identifier: String, error: BrokerError) {
        Counter(
            label: "annex_launches_rejected",
            dimensions: [("extension", label(identifier)), ("code", error.code.rawValue)]
        ).increment()
    }
}

extension AnnexHost {
    /// The same host, with measurements. Its launches, sessions and requests are counted, timed and traced through
    /// swift-metrics and swift-distributed-tracing. If the program has not bootstrapped these libraries, this function
    /// has no effect.
    ///
    /// ```swift
    /// let host = try AnnexHost.embedded(apps: ["Shout.app"]).withTelemetry()
    /// ```
    ///
    /// Only sessions and requests of the returned host are measured. The original host is not measured.
    /// `Docs/Guide/Observing.md` lists the names of all metrics.
    public func withTelemetry() -> AnnexHost {
        observed(by: Telemetry())
    }
}
