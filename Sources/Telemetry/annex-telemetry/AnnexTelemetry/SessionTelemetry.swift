internal import AnnexHost
internal import CoreMetrics
internal import Tracing

/// The tracing span and the metrics of one session. If a task without a span of its own makes a request, the request's
/// span lies below the session's span.
struct SessionTelemetry: SessionObserver {
    private let identifier: String
    private let span: any Span
    private let running: Meter

    /// The span's parent is the current span of the task that began the session.
    init(_ identifier: String, running: Meter) {
        self.identifier = identifier
        self.running = running
        span = InstrumentationSystem.tracer.startAnySpan(
            "annex session", context: ServiceContext.current ?? .topLevel, ofKind: .client)
        span.updateAttributes { $0["annex.extension"] = identifier }
    }

    func ready(_ report: LaunchReport) {
        timer("annex_launch_duration").recordNanoseconds(report.total.nanoseconds)
        timer("annex_wait_duration").recordNanoseconds(report.waited.nanoseconds)
        span.addEvent("ready")
    }

    func ended(_ termination: Termination) {
        let reason = termination.reason.rawValue
        Counter(label: "annex_ends", dimensions: [("extension", identifier), ("reason", reason)]).increment()
        running.decrement()
        span.updateAttributes { attributes in
            attributes["annex.reason"] = reason
            if let memory = termination.usage.peakMemory { attributes["annex.peak_memory"] = Int64(clamping: memory) }
            attributes["annex.denials"] = termination.usage.denials
        }
        if termination.isFailure { span.setStatus(SpanStatus(code: .error, message: termination.description)) }
        span.end()
    }

    func requesting() -> @Sendable (HostError?) -> Void {
        let began = ContinuousClock.now
        // The parent is the current span of the task that makes the request, because that task may itself serve another
        // request. If the task has no span, the parent is the session's span.
        let context = ServiceContext.current ?? span.context
        let request = InstrumentationSystem.tracer.startAnySpan("annex request", context: context, ofKind: .client)
        request.updateAttributes { $0["annex.extension"] = identifier }
        return { [identifier] error in
            let outcome = error?.outcome ?? "answered"
            Timer(
                label: "annex_request_duration", dimensions: [("extension", identifier), ("outcome", outcome)]
            ).recordNanoseconds((ContinuousClock.now - began).nanoseconds)
            if let error { request.setStatus(SpanStatus(code: .error, message: error.description)) }
            request.end()
        }
    }

    private func timer(_ label: String) -> Timer {
        Timer(label: label, dimensions: [("extension", identifier)])
    }
}

extension Duration {
    fileprivate var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, carried) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
        return overflow || carried ? .max : sum
    }
}

extension HostError {
    /// One word of a fixed list, because each value creates a separate metric series.
    fileprivate var outcome: String {
        switch self {
        case .rejected: "rejected"
        case .ended: "ended"
        case .cancelled: "cancelled"
        case .taskCancelled: "taskCancelled"
        case .unknownMethod: "unknownMethod"
        case .timedOut: "timedOut"
        case .invalidRequest: "invalidRequest"
        }
    }
}
