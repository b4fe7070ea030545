public import AnnexHost

extension AnnexHost {
    /// The same host, but its launches, sessions and requests are counted, timed and traced through swift-metrics and
    /// swift-distributed-tracing. Without effect unless the program has bootstrapped these libraries.
    ///
    /// ```swift
    /// let host = try AnnexHost.embedded(apps: ["Shout.app"]).withTelemetry()
    /// ```
    ///
    /// Only sessions and requests of the returned host are measured, not those of the host that it was made from.
    /// `Docs/Guide/Observing.md` lists the names of all metrics.
    public func withTelemetry() -> AnnexHost {
        observed(by: Telemetry())
    }
}
