public import AnnexHost

extension AnnexHost {
    /// The same host, whose launches, sessions and requests are counted, timed and traced through swift-metrics and
    /// swift-distributed-tracing. Nothing comes of it unless the program has bootstrapped them.
    ///
    /// ```swift
    /// let host = try AnnexHost.embedded(apps: ["Shout.app"]).withTelemetry()
    /// ```
    ///
    /// Sessions and requests that begin with it are told, those of the host that it was made of are not. What is counted
    /// under which name is in `Docs/Guide/Observing.md`.
    public func withTelemetry() -> AnnexHost {
        observed(by: Telemetry())
    }
}
