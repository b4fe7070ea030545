internal import AnnexPolicy
internal import AnnexSandbox
internal import AnnexService

extension LaunchReport {
    /// A launch as the sandbox saw it, up to the extension's hello.
    init(_ report: SandboxReport, policy: String, limits: PolicyLimits, hello: UInt64) {
        var steps = report.steps.map { Step(name: $0.name, duration: $0.duration) }
        let start = hello > report.executed ? hello - report.executed : 0
        steps.append(Step(name: "hello", duration: .nanoseconds(Int64(clamping: start))))
        self.init(
            steps: steps, layers: report.layers, policy: policy, memoryLimit: limits.memory,
            memory: report.isMemoryEnforced ? .enforced : .watched)
    }
}
