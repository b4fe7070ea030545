internal import AnnexLinux
internal import AnnexPolicy
internal import Glibc

/// A broker's launcher of the doctor's own, which does without whatever this machine lacks and knows why.
struct ProbeLauncher: ~Copyable {
    private let launcher: Launcher
    private let bundle: ProbeBundle

    /// How long one launch may take; it takes milliseconds.
    private static let patience = Duration.seconds(60)

    init() throws(SandboxError) {
        let bundle = try SandboxError.step("probe") { () throws(SystemError) in try ProbeBundle() }
        launcher = try Launcher.start(waiving: Set(SandboxLayer.allCases))
        self.bundle = bundle
    }

    deinit {
        launcher.shutDown()
    }

    /// Every layer that cannot be had here.
    var lacks: [LayerLack] { launcher.lacks }

    /// Which warden runs.
    var program: String {
        switch launcher.wardenProgram {
        case .installed(let path): path
        case .carried: "the one that the library carries"
        }
    }

    /// Landlock's version with the rights and scopes that it brings.
    var landlockText: String { launcher.landlock.map { "; \($0.summary)" } ?? "" }

    /// What of the layer `speculation` this machine offers.
    var controls: SpeculationControls { launcher.controls }

    /// Launches the probe under a policy, for real.
    func readiness(of name: String, remedies: Remedies) -> PolicyReadiness {
        do throws(PolicyError) {
            let policy = try Policy.shipped(named: name)
            // libseccomp asks the kernel what it may express: where seccomp is refused, it would answer for that.
            if !lacks.contains(where: { $0.layer == .seccomp }) { _ = try policy.filter() }
            return judge(PolicyReadiness(name, .ready), launch(policy), remedies)
        } catch {
            return PolicyReadiness(unable: name, SandboxError("policy", cause: "\(error)"), remedies)
        }
    }

    private func judge(_ start: PolicyReadiness, _ run: ProbeRun, _ remedies: Remedies) -> PolicyReadiness {
        var answer = start
        guard let report = run.report, run.said.hasRun, run.said.escapes.isEmpty else {
            let failure = run.failure
            // What is missing first is the cause of what fails later.
            let lack = lacks.first
            answer.state = .unable
            answer.cause = failure.map { "\($0.step): \($0.cause)" } ?? run.surprise
            answer.remedy = lack.flatMap { remedies.remedy(of: $0) } ?? failure?.remedy
            answer.missing = lacks.map { $0.lack(remedies) }
            return answer
        }
        answer.layers = report.layers
        answer.missing = lacks.map { $0.lack(remedies) }
        answer.nestedNamespaces = run.nested
        answer.launchMicroseconds = Self.microseconds(report.steps.map(\.duration))
        answer.state = !lacks.isEmpty ? .waivable : report.isMemoryEnforced ? .ready : .weaker
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
                    report.note(executed)
                    report.finish()
                // Held until it is killed: its policy ends a program for this.
                case .denied(let denial, _): if denial.answer == .ended { isDone.finish() }
                case .ended(let end):
                    report.finish()
                    isDone.finish()
                    run.note(ProbeRun(report: report.wait(atMost: .zero), end: end))
                    run.finish()
                default: break
                }
            }
            _ = isDone.wait(atMost: Self.patience)
            // A refusal can be heard before its program's execution, and one killed then is never said to have executed.
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
            return probe
        }
    }
}
