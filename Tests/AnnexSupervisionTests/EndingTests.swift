import AnnexLinux
import AnnexPolicy
import Glibc
import Testing

@testable import AnnexLaunch
@testable import AnnexSupervision

@Suite struct EndingTests {
    private static let denial = Denial(
        subject: .call(CallUse(number: 321, arguments: [1])), call: "bpf", text: "bpf(1)", answer: .ended,
        layers: [.seccomp], policyLine: nil, reason: nil,
        remedy: nil, caller: Caller(thread: 1))

    /// One row: a cause and the kernel's facts, and the decided reason with its detail.
    struct Row: Sendable, CustomTestStringConvertible {
        let cause: EndCause?
        let process: ProcessEnd?
        let reason: EndReason
        let detail: Ending.Detail
        var kinds = LifeKind.allCases
        var processes = 1
        var change: @Sendable (inout SandboxEnd) -> Void = { _ in }

        init(
            _ cause: EndCause?, _ process: ProcessEnd?, is reason: EndReason, _ detail: Ending.Detail = .none,
            of kinds: [LifeKind] = LifeKind.allCases, processes: Int = 1,
            _ change: @escaping @Sendable (inout SandboxEnd) -> Void = { _ in }
        ) {
            self.cause = cause
            self.process = process
            self.reason = reason
            self.detail = detail
            self.kinds = kinds
            self.processes = processes
            self.change = change
        }

        var testDescription: String {
            let ended = process.map { "\($0)" } ?? "no report of the process"
            return "\(cause.map { "\($0)" } ?? "no cause"), \(ended)"
        }
    }

    private static let killed = ProcessEnd.signalled(signal: SIGKILL, core: false)
    private static let faulted = ProcessEnd.signalled(signal: SIGSEGV, core: true)
    private static let filtered = ProcessEnd.signalled(signal: SIGSYS, core: true)
    private static let exited = ProcessEnd.exited(code: 3)

    // MARK: Rows in which the facts decide

    private static let facts: [Row] = [
        Row(nil, exited, is: .exited, .exitCode(3)),
        Row(nil, faulted, is: .crashed, .signal(SIGSEGV)),
        Row(nil, killed, is: .crashed, .signal(SIGKILL)),
        Row(nil, killed, is: .processorLimit, .limit("2.0 seconds of processor time")) {
            $0.usage = ResourceUsage(userTime: .seconds(1))
        },
        Row(nil, filtered, is: .deniedOperation, .foreignCall),
        // A program that may send signals to itself can send this one, too.
        Row(nil, filtered, is: .crashed, .signal(SIGSYS)) { $0.mayBeOwnSignal = true },
        Row(
            nil, nil, is: .brokerShutdown, .limit("the warden ended, and the extension with it"), of: [.extension]
        ) { $0.hasRun = true },
        Row(nil, nil, is: .brokerShutdown, .limit("the warden ended, and the program with it"), of: [.program]) {
            $0.hasRun = true
        },
        Row(
            nil, nil, is: .launchFailed,
            .step(SandboxError("warden", cause: "the warden ended before the program did")), of: [.program]),
        Row(
            nil, nil, is: .launchFailed,
            .step(SandboxError("warden", cause: "the warden ended before the extension did")), of: [.extension]),
        Row(.launchLimit, killed, is: .launchFailed, .step(SandboxError("pivot_root", cause: "EPERM"))) {
            $0.failure = SandboxError("pivot_root", cause: "EPERM")
        },
    ]

    private static let memory: [Row] = [
        Row(nil, killed, is: .memoryLimit, .limit("100 MiB, watched")) { $0.memory = MemoryUse(peak: 1, kills: 1) },
        Row(nil, killed, is: .memoryLimit, .limit("100 MiB, watched"), processes: 8) {
            $0.memory = MemoryUse(peak: 1, kills: 1)
        },
        // The kernel kills the only process for its memory, so each cause is a consequence.
        Row(.silence, killed, is: .memoryLimit, .limit("100 MiB, watched")) {
            $0.memory = MemoryUse(peak: 1, kills: 1)
        },
        // One of several processes may have been killed for its memory long before.
        Row(.outputLimit, killed, is: .outputLimit, .limit("more than 64 KiB of output"), processes: 8) {
            $0.memory = MemoryUse(peak: 1, kills: 1)
        },
        Row(.outputLimit, killed, is: .memoryLimit, .limit("100 MiB, watched"), processes: 8) {
            $0.memoryFinding = .exceeded
        },
        Row(nil, exited, is: .exited, .exitCode(3), processes: 8) { $0.memory = MemoryUse(peak: 1, kills: 1) },
        // A child ran out of memory long before all processes together ran out of time.
        Row(
            nil, killed, is: .processorLimit, .limit("2.0 seconds of processor time, of all its processes together"),
            processes: 8
        ) {
            $0.memory = MemoryUse(peak: 1, kills: 1)
            $0.processorFinding = .exceeded
        },
        Row(.cancelled, killed, is: .memoryLimit, .limit("100 MiB, watched")) {
            $0.memory = MemoryUse(peak: 1, kills: 1)
        },
        Row(.cancelled, killed, is: .cancelled, processes: 8) { $0.memory = MemoryUse(peak: 1, kills: 1) },
    ]

    // MARK: Rows in which a cause decides

    private static let causes: [Row] = [
        Row(.completed, killed, is: .completed),
        Row(.completed, exited, is: .completed, of: [.extension]),
        Row(.outputLimit, killed, is: .outputLimit, .limit("more than 64 KiB of output")),
        Row(.diskLimit("full"), killed, is: .diskLimit, .limit("full")),
        Row(.deniedOperation(denial), killed, is: .deniedOperation, .denial(denial)),
        Row(.aborted, killed, is: .crashed, .signal(SIGABRT)),
        Row(.cancelled, killed, is: .cancelled),
        Row(.stopIgnored, killed, is: .cancelled, .limit("did not end within 1.0 seconds after it was asked to")),
        Row(.memoryPressure, killed, is: .memoryPressure),
        Row(.unresponsive, killed, is: .unresponsive, .limit("no sign of life within 4.0 seconds")),
        Row(.graceExpired, killed, is: .graceExpired, .limit("still at work 1.0 seconds after the goodbye")),
        Row(.hostGone, killed, is: .hostGone),
        Row(.disabled, killed, is: .disabled),
        Row(.removed, killed, is: .removed),
        Row(.brokerShutdown, killed, is: .brokerShutdown),
        Row(.messageBudget("too many"), killed, is: .messageBudget, .limit("too many")),
        Row(.protocolViolation("length"), killed, is: .protocolViolation, .violation("length")),
        Row(.launchLimit, killed, is: .launchLimit, .limit("no hello within 1.0 seconds"), of: [.extension]),
        Row(
            .launchLimit, killed, is: .launchLimit, .limit("its own code did not run within 1.0 seconds"),
            of: [.program]),
        Row(.timeLimit, killed, is: .timeLimit, .limit("no answer within 10.0 seconds"), of: [.extension]),
        Row(.timeLimit, killed, is: .timeLimit, .limit("ran longer than 10.0 seconds"), of: [.program]),
        Row(
            .noSlot, nil, is: .launchFailed,
            .step(
                SandboxError(
                    "slot", cause: "no instance slot became free within 10.0 seconds (`instances`: 3)",
                    remedy: "end a session that you do not need, or raise the policy's limit `instances`"))),
        Row(
            .unanswered, nil, is: .launchFailed,
            .step(
                SandboxError(
                    "warden", cause: "no answer within 10.0 seconds",
                    remedy: "reduce the machine's load, and check that no program has stopped the process annex-warden"
                ))),
        Row(
            .stuck(after: .diskLimit("full")), nil, is: .stuck,
            .limit("the process did not end within 5.0 seconds after its kill for diskLimit"), of: [.extension]),
        Row(
            .stuck(after: .timeLimit), nil, is: .stuck,
            .limit("the process did not end within 10.0 seconds after its kill for timeLimit"), of: [.program]),
    ]

    /// Ends that came before the kill. A program's own end is the answer that its caller wants. An extension's own end is
    /// a consequence of the cause.
    private static let ends: [Row] =
        [exited, faulted, filtered].flatMap { end in
            [
                Row(.outputLimit, end, is: .outputLimit, .limit("more than 64 KiB of output"), of: [.extension]),
                Row(.timeLimit, end, is: .timeLimit, .limit("no answer within 10.0 seconds"), of: [.extension]),
                Row(.aborted, end, is: .crashed, .signal(SIGABRT)),
            ]
        }
        + [EndCause.timeLimit, .outputLimit, .diskLimit("full"), .deniedOperation(denial), .silence].flatMap { cause in
            [
                Row(cause, exited, is: .exited, .exitCode(3), of: [.program]),
                Row(cause, faulted, is: .crashed, .signal(SIGSEGV), of: [.program]),
                Row(cause, filtered, is: .deniedOperation, .foreignCall, of: [.program]),
            ]
        }

    private static let rows = facts + memory + causes + ends

    @Test(arguments: rows)
    func `L6: cause and facts decide the reason`(row: Row) {
        for kind in row.kinds {
            var facts = SandboxEnd()
            facts.process = row.process
            row.change(&facts)
            let limits = PolicyLimits.example(processes: row.processes)
            let ending = Ending.decide(row.cause, facts: facts, limits: limits, kind: kind)
            #expect(ending.reason == row.reason && ending.detail == row.detail, "\(kind): \(ending)")
        }
    }

    @Test(arguments: EndReason.allCases)
    func `each reason has a row`(reason: EndReason) {
        #expect(Self.rows.contains { $0.reason == reason })
    }

    @Test func `L6: the reasons are spelled as in reports`() {
        let spelled =
            "completed cancelled exited crashed memoryLimit launchLimit timeLimit processorLimit diskLimit outputLimit "
            + "messageBudget graceExpired unresponsive stuck deniedOperation protocolViolation memoryPressure hostGone disabled removed "
            + "brokerShutdown launchFailed"
        #expect(EndReason.allCases.map(\.rawValue).joined(separator: " ") == spelled)
    }

    @Test func `L6: an extension that closed its channel keeps the reason of its own end`() {
        func reason(_ process: ProcessEnd?) -> EndReason {
            var facts = SandboxEnd()
            facts.process = process
            return Ending.decide(.silence, facts: facts, limits: .example(), kind: .extension).reason
        }
        #expect(reason(Self.exited) == .exited)
        #expect(reason(Self.faulted) == .crashed)
        #expect(reason(Self.killed) == .protocolViolation)
        #expect(reason(nil) == .protocolViolation)
    }

    // MARK: Limits that the kernel enforces

    private let limit: UInt64 = 100 << 20

    private func end(peak: UInt64) -> SandboxEnd {
        var end = SandboxEnd()
        end.process = Self.killed
        end.usage = ResourceUsage(peakMemory: peak)
        return end
    }

    @Test func `a death near the limit of watched memory has memory as its reason`() {
        #expect(end(peak: 96 << 20).ranOutOfMemory(limit: limit, wasKilled: false))
        #expect(!end(peak: 90 << 20).ranOutOfMemory(limit: limit, wasKilled: false))
    }

    @Test func `BOMB-01: a child that ran out of memory does not explain the end of its parent`() {
        var end = end(peak: 99 << 20)
        end.memory = MemoryUse(peak: limit, kills: 1)
        #expect(end.ranOutOfMemory(limit: limit, wasKilled: false))
        end.process = .exited(code: 3)
        #expect(!end.ranOutOfMemory(limit: limit, wasKilled: false))
        end.process = .signalled(signal: 15, core: false)
        #expect(!end.ranOutOfMemory(limit: limit, wasKilled: false))
    }

    @Test func `a kill after half of the processor time counts as the processor limit`() {
        func end(_ used: Duration, signal: Int32 = 9) -> SandboxEnd {
            var end = SandboxEnd()
            end.process = .signalled(signal: signal, core: false)
            end.usage = ResourceUsage(userTime: used)
            return end
        }
        // These values were seen on a busy machine: the kernel's ticks counted a second, but the kernel's own report
        // stated 0.8.
        #expect(end(.milliseconds(804)).ranOutOfProcessorTime(limit: .seconds(1)))
        #expect(!end(.milliseconds(499)).ranOutOfProcessorTime(limit: .seconds(1)))
        #expect(!end(.milliseconds(2000), signal: 11).ranOutOfProcessorTime(limit: .seconds(1)))
        #expect(!end(.seconds(2)).ranOutOfProcessorTime(limit: .seconds(10)))
    }

    @Test func `a process that was ended for another reason did not run out of memory`() {
        #expect(!end(peak: 99 << 20).ranOutOfMemory(limit: limit, wasKilled: true))
    }
}
