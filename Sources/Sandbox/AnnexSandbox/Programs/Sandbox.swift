internal import AnnexLinux
public import AnnexPolicy
internal import Glibc
internal import Synchronization

/// Runs ordinary programs of this host under a policy: no bundle, no host application, no daemon.
///
/// ```swift
/// var sandbox = Sandbox(policy: try .shipped(named: "tool"))
/// sandbox.tighten(memory: 256 << 20)
/// var program = SandboxProgram("python3", ["-c", "print(open('/srv/data/in.csv').read())"])
/// program.read("/srv/data")
/// let result = try await sandbox.run(program)
/// print(result.report.reason, result.output.count)
/// ```
///
/// The program sees what the policy grants and what it was handed, under the same paths as on the host. Every layer that
/// the policy asks for is in force or the launch fails; nothing is ever left out silently.
public struct Sandbox: Sendable {
    /// What programs may do.
    public private(set) var policy: Policy
    /// Layers that may be missing, because somebody said so by name; each report lists them.
    public private(set) var waived: Set<SandboxLayer> = []
    /// A directory of the host's that is the private directory where the policy keeps one from run to run.
    public var privateDirectory: String?
    /// What becomes of what the policy refuses.
    public var denials = DenialMode.enforce

    public init(policy: Policy) {
        self.policy = policy
    }

    /// Lowers limits; a higher one than the policy's changes nothing.
    /// - Parameters:
    ///   - memory: bytes, for all of the program's processes together.
    ///   - launch: from the start to the program's own first instruction.
    ///   - time: from there to its end.
    public mutating func tighten(memory: UInt64? = nil, launch: Duration? = nil, time: Duration? = nil) {
        if let memory { policy.limits.tighten(memory: memory) }
        if let launch { policy.limits.tighten(launch: launch) }
        if let time { policy.limits.tighten(request: time) }
    }

    /// Goes without a layer where this machine cannot give it. What then gets through is the table of `annex attack --without`.
    public mutating func waive(_ layer: SandboxLayer) { waived.insert(layer) }

    /// Runs a program to its end. How it ended is a value: nothing that the program does is thrown.
    ///
    /// When the task is cancelled, the program is asked to end (SIGTERM) and ended after the policy's grace.
    /// - Throws: where it cannot be started: no such program, no such path, a layer that this machine cannot give.
    public func run(_ program: SandboxProgram) async throws(SandboxError) -> SandboxRunResult {
        let box = RunBox()
        let launcher = try Launcher.shared(waiving: waived)
        var streams = try SandboxError.step("streams") { () throws(SystemError) in
            try ProgramStreams(program, limit: policy.limits.output)
        }
        let captured = streams.captured
        let prepared = try prepare(program, streams: streams.takeGiven())
        let run = SandboxRun(launcher, policy: prepared.policy, program: [program.name] + program.arguments) { event in
            if case .ended(let report, _) = event { box.end(report) }
        }
        captured?.whenExceeded { run.end(.outputLimit) }
        run.begin(prepared.takeConfiguration())
        let report = await withTaskCancellationHandler {
            await box.report()
        } onCancel: {
            run.stop()
        }
        if report.reason == .launchFailed {
            throw SandboxError(report.failedStep ?? "launch", cause: report.detail, remedy: report.remedy)
        }
        _ = streams.finish()
        return SandboxRunResult(
            report: report, output: captured?.output ?? [], errors: captured?.errors ?? [],
            recording: run.recording)
    }
}

/// What a run gave: how it ended, and what it wrote.
public struct SandboxRunResult: Sendable, Hashable {
    public let report: SandboxRunReport
    /// Its standard output, where it was captured. The bytes are the program's: whoever shows them escapes them.
    public let output: [UInt8]
    /// Its standard error, where it was captured.
    public let errors: [UInt8]
    /// What it did, where `Sandbox.denials` was `learn`: what `PolicyProposal` makes a policy of.
    public let recording: Recording?
}
