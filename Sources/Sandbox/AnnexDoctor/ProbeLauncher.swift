internal import AnnexLaunch
internal import AnnexLinux
internal import AnnexPolicy
internal import Glibc

/// The doctor's own launcher. It leaves out every layer that this machine lacks, and knows why each of these layers is
/// missing.
package struct ProbeLauncher: ~Copyable {
    private let launcher: Launcher
    private let bundle: ProbeBundle

    /// The longest time that one launch may take. A launch normally takes milliseconds.
    private static let patience = Duration.seconds(60)

    init() throws(SandboxError) {
        let bundle = try SandboxError.step("probe") { () throws(SystemError) in try ProbeBundle() }
        launcher = try Launcher.start(waiving: Set(SandboxLayer.allCases))
        self.bundle = bundle
    }

    deinit {
        launcher.shutDown()
    }

    /// Every layer that this machine cannot provide.
    var missingLayers: [MissingLayer] { launcher.missingLayers }

    /// The program that runs as the warden.
    var program: String {
        switch launcher.wardenProgram {
        case .installed(let path): path
        case .carried: "the one embedded in the library"
        }
    }

    /// The Landlock version, with the rights and scopes that it supports; empty without Landlock.
    var landlockText: String { launcher.landlock.map { "; \($0.summary)" } ?? "" }

    /// The controls of the layer `speculation` that this machine offers.
    var controls: SpeculationControls { launcher.controls }

    /// Launches the probe under a policy and reports the result.
    func readiness(of name: String, remedies: Remedies) -> PolicyReadiness {
        do throws(PolicyError) {
            let policy = try Policy.shipped(named: name)
            // libseccomp asks the kernel which filters it supports. If seccomp itself is missing, that request would
            // fail first and hide the cause.
            if !missingLayers.contains(where: { $0.layer == .seccomp }) { _ = try policy.filter() }
            return decide(PolicyReadiness(name, state: .ready), run: launch(policy), remedies: remedies)
        } catch {
            return PolicyReadiness(unable: name, failure: SandboxError("policy", cause: "\(error)"), remedies: remedies)
        }
    }

    private func decide(_ start: PolicyReadiness, run: ProbeRun, remedies: Remedies) -> PolicyReadiness {
        var answer = start
        guard let report = run.report, run.said.hasRun, run.said.escapes.isEmpty else {
            let failure = run.failure
            // The first missing layer is the cause of later failures.
            let missing = missingLayers.first
            answer.state = .unable
            answer.cause = failure.map { "\($0.step): \($0.cause)" } ?? run.surprise
            answer.remedy = missing.flatMap { remedies.remedy(of: $0) } ?? failure?.remedy
            answer.missing = missingLayers.map { $0.missing(remedies) }
            return answer
        }
        answer.layers = report.layers
        answer.missing = missingLayers.map { $0.missing(remedies) }
        answer.nestedNamespaces = run.nested
        answer.launchMicroseconds = Self.microseconds(report.steps.map(\.duration))
        answer.state = !missingLayers.isEmpty ? .waivable : report.isMemoryEnforced ? .ready : .weaker
        if answer.state == .weaker { answer.cause = "the memory limit is watched, not enforced" }
        return answer
    }

    private func launch(_ policy: Policy) -> ProbeRun {
        let run = Outcome<ProbeRun>()
        let report = Outcome<SandboxReport>()
        let isDone = Outcome<Bool>()
        do throws(SandboxError) {
            let process = try launcher.launch(try configuration(policy)) { event in
                switch event {
                case .executed(let executed):
                    report.record(executed)
                    report.finish()
                // If the policy ends the program for this call, the kernel holds the call until this launch kills the
                // process.
                case .denied(let denial, _): if denial.answer == .ended { isDone.finish() }
                case .ended(let end):
                    report.finish()
                    isDone.finish()
                    run.record(ProbeRun(report: report.wait(atMost: .zero), end: end))
                    run.finish()
                default: break
                }
            }
            _ = isDone.wait(atMost: Self.patience)
            // A denial can arrive before the report that the program was executed. The process must be killed only
            // after that report. A program that is killed earlier is never reported as executed.
            _ = report.wait(atMost: Self.patience)
            process.kill()
            return run.wait(atMost: Self.patience)
                ?? ProbeRun(failure: SandboxError("probe", cause: "no end within \(Self.patience)"))
        } catch {
            return ProbeRun(failure: error)
        }
    }

    private static func microseconds(_ durations: [Duration]) -> Double {
        let (seconds, attoseconds) = durations.reduce(Duration.zero, +).components
        return Double(seconds) * 1e6 + Double(attoseconds) / 1e12
    }

    private func configuration(_ policy: Policy) throws(SandboxError) -> SandboxConfiguration {
        let path = bundle.path
        return try SandboxError.step("probe") { () throws(SystemError) in
            var probe = SandboxConfiguration(
                policy: policy, bundle: try Descriptor.directory(path),
                executable: try Descriptor.reference(to: path + "/" + ProbeBundle.program),
                executablePath: ProbeBundle.program, name: ProbeBundle.program, gifts: DescriptorList(), numbers: [])
            probe.isLogged = false
            try launcher.keepFiles(of: &probe, in: path)
            return probe
        }
    }
}
