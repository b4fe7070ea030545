@_exported public import AnnexLaunch
internal import AnnexLinux
public import AnnexPolicy
internal import AnnexSupervision
internal import Glibc
internal import Synchronization

/// Runs ordinary programs of this host under a policy. It needs no bundle, no host application and no daemon.
///
/// ```swift
/// var sandbox = Sandbox(policy: try .shipped(named: "tool"))
/// sandbox.tighten(memory: 256 << 20)
/// var program = SandboxProgram("python3", arguments: ["-c", "print(open('/srv/data/in.csv').read())"])
/// program.read("/srv/data")
/// let result = try await sandbox.run(program)
/// print(result.report.reason, result.output.count)
/// ```
///
/// The program sees the paths that the policy grants and the paths that the caller hands over, under the same names as
/// on the host. If a layer that the policy requests cannot be in force, the launch fails. No layer is left out
/// silently.
public struct Sandbox: Sendable {
    /// The policy under which programs run: their rights and their limits.
    public private(set) var policy: Policy
    /// Layers that may be missing because the caller named them in `waive`. Each report lists the layers that were left
    /// out.
    public private(set) var waived: Set<SandboxLayer> = []
    /// A directory on the host that becomes the program's private directory, if the policy keeps a private directory
    /// from run to run.
    public var privateDirectory: String?
    /// The treatment of the calls and paths that the policy denies.
    public var denials = DenialMode.enforce

    /// Makes a sandbox that runs programs under this policy. No layer is waived yet.
    public init(policy: Policy) {
        self.policy = policy
    }

    /// Lowers limits of the policy. A value above the policy's own limit changes nothing.
    /// - Parameters:
    ///   - memory: the limit in bytes for all of the program's processes together.
    ///   - launch: the longest time from the start of the launch to the program's own first instruction.
    ///   - time: the longest time from the program's own first instruction to its end.
    public mutating func tighten(memory: UInt64? = nil, launch: Duration? = nil, time: Duration? = nil) {
        if let memory { policy.limits.tighten(memory: memory) }
        if let launch { policy.limits.tighten(launch: launch) }
        if let time { policy.limits.tighten(request: time) }
    }

    /// Allows a launch without this layer if this machine cannot provide the layer. `annex attack --without` shows
    /// which attacks then succeed.
    public mutating func waive(_ layer: SandboxLayer) { waived.insert(layer) }

    /// Runs a program until it ends. The way in which the program ends is part of the result. No action of the program
    /// makes this method throw.
    ///
    /// If the task is cancelled, the program gets SIGTERM. If it has not ended after the policy's grace, it is killed.
    /// - Throws: if the program cannot be started. Either the program or a path does not exist, or this machine cannot
    ///   provide a layer.
    public func run(_ program: SandboxProgram) async throws(SandboxError) -> SandboxRunResult {
        let box = RunBox()
        let launcher = try Launcher.shared(waiving: waived)
        var streams = try SandboxError.step("streams") { () throws(SystemError) in
            try ProgramStreams(program, limit: policy.limits.output)
        }
        let captured = streams.captured
        let prepared = try prepare(program, streams: streams.takeGiven())
        let run = SandboxRun(
            launcher, policy: prepared.policy, program: [program.name] + program.arguments, gate: prepared.gate
        ) { event in
            if case .ended(let report, _) = event { box.end(report) }
        }
        captured?.whenExceeded { run.end(for: .outputLimit) }
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

/// The result of a run: the program's end and its output.
public struct SandboxRunResult: Sendable, Hashable {
    /// How the run ended, with all known facts about it.
    public let report: SandboxRunReport
    /// The standard output; empty unless it was captured. The program chose these bytes, so a caller must escape them
    /// before it shows them.
    public let output: [UInt8]
    /// The standard error; empty unless it was captured.
    public let errors: [UInt8]
    /// The record of the run, from which `PolicyProposal` makes a policy; nil unless `Sandbox.denials` was `learn`.
    public let recording: Recording?
}

/// Holds a run's report for the task that waits for the end of the run.
final class RunBox: Sendable {
    private enum State {
        case notAwaited
        case waiting(CheckedContinuation<SandboxRunReport, Never>)
        case ended(SandboxRunReport)
    }

    private let state = Mutex(State.notAwaited)

    func end(_ report: SandboxRunReport) {
        let waiting = state.withLock { state -> CheckedContinuation<SandboxRunReport, Never>? in
            if case .waiting(let continuation) = state { return continuation }
            state = .ended(report)
            return nil
        }
        waiting?.resume(returning: report)
    }

    func report() async -> SandboxRunReport {
        await withCheckedContinuation { continuation in
            let report = state.withLock { state -> SandboxRunReport? in
                if case .ended(let report) = state { return report }
                state = .waiting(continuation)
                return nil
            }
            if let report { continuation.resume(returning: report) }
        }
    }
}
