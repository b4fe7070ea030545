internal import AnnexBrokerAPI
internal import AnnexLaunch
internal import AnnexPolicy

extension LaunchReport {
    /// The report on a launch from the sandbox's report, with the step `hello` if the hello came.
    init(_ report: SandboxReport, policy: String, limits: PolicyLimits, waited: Duration, hello: UInt64?) {
        var steps = report.steps.map { Step(name: $0.name, duration: $0.duration) }
        if let hello {
            let start = hello > report.executed ? hello - report.executed : 0
            steps.append(Step(name: "hello", duration: .nanoseconds(Int64(clamping: start))))
        }
        self.init(
            waited: waited, steps: steps, layers: report.layers, waived: report.waived.compactMap(Waiver.init),
            policy: policy,
            limits: Limit.all(limits, held: report.held), memoryLimit: limits.memory,
            memory: report.isMemoryEnforced ? .enforced : .watched)
    }
}

extension LaunchReport.Waiver {
    /// nil for a layer that was never tried, because then it was not waived either.
    fileprivate init?(_ waiver: SandboxReport.Waiver) {
        guard let cause = waiver.cause, let layer = DispensableLayer(waiver.layer) else { return nil }
        self.init(layer: layer, cause: cause, remedy: waiver.remedy)
    }
}

extension DispensableLayer {
    /// The raw values of both types are the same words.
    init?(_ layer: SandboxLayer) { self.init(rawValue: layer.rawValue) }
}

extension SandboxLayer {
    init?(_ layer: DispensableLayer) { self.init(rawValue: layer.rawValue) }
}
