import AnnexLinux
import AnnexPolicies
import AnnexPolicy
import AnnexSandbox
import Glibc
import Synchronization

/// One `annex run`, from its options to its exit status.
struct ProgramRun {
    let options: RunOptions

    init(_ options: RunOptions) {
        self.options = options
    }

    func run() -> Int32 {
        do {
            return try tell(runToItsEnd())
        } catch {
            return tell(error)
        }
    }

    // MARK: - Running

    private struct End {
        let report: SandboxRunReport
        let refusals: [Denial]
        /// A stream of ours that could not be written to.
        let failed: (number: Int32, error: SystemError)?
        /// Where the report goes.
        let file: RunReportFile?
    }

    private func runToItsEnd() throws -> End {
        let signals = SignalDesk()
        let sandbox = try sandbox()
        let file = try options.report.map { try RunReportFile(path: $0) }
        let launcher = try Launcher.shared(waiving: Set(options.waive))
        var streams = try ProgramStreams(closed: StandardStreams.closed)
        let prepared = try sandbox.prepare(
            program(), streams: streams.takeGiven(), terminal: streams.terminal.take())
        let terminal = try streams.takeRelay()
        let run = SandboxRun(launcher, policy: prepared.policy, program: options.program) { event in
            switch event {
            case .executed: break
            case .stopped: signals.note(.stopped)
            case .ended(let report, let refusals): signals.note(.ended(report, refusals))
            }
        }
        run.begin(prepared.takeConfiguration())
        let (report, refusals) = signals.serve(run, terminal)
        terminal?.finish()
        return End(report: report, refusals: refusals, failed: streams.finish(), file: file)
    }

    private func sandbox() throws -> Sandbox {
        var sandbox = Sandbox(policy: try policy())
        if let memory = options.memory, memory.bytes > sandbox.policy.limits.memory {
            throw SandboxError(
                "limits", cause: "--memory asks for more than the policy \(options.policy) allows",
                mend: "state more in a policy of your own: --policies DIR --policy NAME")
        }
        sandbox.tighten(
            memory: options.memory?.bytes, launch: options.launchLimit.map { .seconds($0) },
            time: options.timeout.map { .seconds($0) })
        for layer in options.waive { sandbox.waive(layer) }
        sandbox.privateDirectory = options.privateDirectory
        if options.explain { sandbox.denials = .explain }
        return sandbox
    }

    private func policy() throws -> Policy {
        let files = PolicyFiles(option: options.policies)
        guard PolicyFiles.isFile(options.policy) else {
            return try .compiledAhead(named: options.policy, overriding: files.folder)
        }
        let (name, library) = try files.named(options.policy)
        return try library.policy(named: name)
    }

    private func program() throws -> SandboxProgram {
        var program = SandboxProgram(options.program[0], Array(options.program.dropFirst()))
        for path in options.read { program.read(path) }
        for path in options.write { program.write(path) }
        program.directory = options.directory
        for entry in options.env {
            let parts = entry.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard let name = parts.first, !name.isEmpty else {
                throw SandboxError("environment", cause: "--env wants NAME or NAME=VALUE")
            }
            program.environment[name] = parts.count > 1 ? parts[1] : getenv(name).map { String(cString: $0) }
        }
        return program
    }

    // MARK: - Telling

    private func tell(_ end: End) throws -> Int32 {
        let report = end.report
        if report.wasEnded {
            StandardError.print("annex: ended: \(report.reason.rawValue): \(report.detail)")
        } else if report.reason == .launchFailed {
            let step = report.failedStep.map { "\($0): " } ?? ""
            StandardError.print("annex: not started: \(step)\(report.detail)" + (report.mend.map { "; \($0)" } ?? ""))
        }
        if let failed = end.failed {
            let name = failed.number == STDOUT_FILENO ? "stdout" : "stderr"
            StandardError.print("annex: \(name): \(failed.error)")
        }
        let isWritten = write(report, to: end.file)
        if options.explain { RunHints.explain(end.refusals) }
        if report.exitCode != 0 { RunHints.hintModes(read: options.read, write: options.write) }
        RunHints.hint(report, end.refusals, explained: options.explain)
        return isWritten || status(report) != 0 ? status(report) : 125
    }

    /// The program has run: that its report is lost is said, and its own status stays where it tells of a failure.
    private func write(_ report: SandboxRunReport, to file: RunReportFile?) -> Bool {
        do {
            try file?.write(report)
            return true
        } catch {
            StandardError.print("annex: \(error)")
            return false
        }
    }

    private func tell(_ error: any Error) -> Int32 {
        guard let error = error as? SandboxError else {
            StandardError.print("annex: not started: \(error)")
            return 126
        }
        StandardError.print("annex: not started: \(error)")
        return error.isMissing ? 127 : 126
    }

    private func status(_ report: SandboxRunReport) -> Int32 {
        switch report.reason {
        case .exited: report.exitCode ?? 0
        case .crashed: 128 + (report.signal ?? 0)
        case .launchFailed: 126
        default: 125
        }
    }
}
