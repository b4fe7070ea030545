internal import AnnexLaunch
internal import AnnexLinux
internal import AnnexPolicy
internal import Glibc
internal import Synchronization

extension AttackRunner {
    /// Runs a script. When the script's program has taken as many kernel objects as it can, this function measures
    /// how many objects the program holds.
    func measure(
        _ measure: Measure, script: TrialScript, proof: Proof, under policy: Policy, layers: SandboxLayers
    ) async throws(TrialFailure) -> TrialOutcome {
        var script = script
        let waiting = script.room(8)
        script.call("read", with: .number(Canaries.hold), waiting, 1)
        var ends = try TrialSandbox.system { () throws(SystemError) in
            try DescriptorPair.pipe(nonBlocking: false).list()
        }
        guard let reading = ends.takeFirst(), let writing = ends.takeFirst() else {
            throw TrialFailure("a pipe without ends")
        }
        var gifts = try canaries.gifts()
        gifts.append(reading)
        let measurement = Measurement(measure, policy: policy, canaries: canaries, program: sandbox.programPath)
        let look = TrialPause(after: proof.step, writing: writing) { run, answers in
            await measurement.poll(run, reported: answers.results[proof.step] ?? 0)
        }
        var outcome = try await sandbox.run(script, under: policy, layers: layers, gifts: gifts, pause: look)
        outcome.measured = try await measurement.result(of: outcome, limit: policy.limits.memory)
        return outcome
    }
}

/// Counts the kernel's objects of one program at three moments.
private final class Measurement: Sendable {
    private let measure: Measure
    private let canaries: Canaries
    /// The path of the trial's program. The neighbour is another program of the same user outside the sandbox. The
    /// neighbour runs from the same file.
    private let program: String
    private let state: Mutex<State>

    private struct State {
        var measured: Measured
        /// Why the counts cannot be used; nil if they can be used.
        var failure: String?
        /// Whether the program ended before all its counts were taken.
        var hasEnded = false
    }

    init(_ measure: Measure, policy: Policy, canaries: Canaries, program: String) {
        self.measure = measure
        self.canaries = canaries
        self.program = program
        let before = measure.count(Measure.Scene(canaries: canaries, process: 0, reported: 0))
        let measured = Measured(
            unit: measure.unit, before: before ?? 0, allowed: measure.allowance.bytes(policy) / measure.size,
            machine: KernelCounts.machine())
        state = Mutex(State(measured: measured, failure: before == nil ? Self.uncounted : nil))
    }

    private static let uncounted = "the kernel's count could not be read"

    /// How often the objects are counted if the program holds too many. A memory limit may be checked only from time
    /// to time. In that case, the limit ends the program a moment after the program exceeds it. So the objects are
    /// counted again until then.
    private var attempts: Int { if case .memoryLimit = measure.allowance { 100 } else { 2 } }

    /// Counts the objects while the program holds them.
    func poll(_ run: TrialRun, reported: Int64) async {
        let process = await number(of: run)
        for attempt in 0..<attempts {
            let held = measure.count(
                Measure.Scene(canaries: canaries, process: process, reported: UInt64(max(0, reported))))
            let neighbour = neighbour(reported)
            // If the process ended in the meantime, the counts have no meaning.
            if run.hasEnded { return state.withLock { $0.hasEnded = true } }
            if record(held, neighbour: neighbour, machine: attempt == 0 ? KernelCounts.machine() : []) { return }
            try? await Task.sleep(for: .milliseconds(100))
        }
    }

    /// The program's process number, or 0 if the program has ended. The program's answers can arrive before this object
    /// gets the event about the program's launch. So this function waits for that event.
    private func number(of run: TrialRun) async -> Int32 {
        while !run.hasEnded {
            if let process = run.process { return process }
            try? await Task.sleep(for: .milliseconds(5))
        }
        return 0
    }

    /// - Returns: whether the counts are final.
    private func record(_ held: UInt64?, neighbour: Neighbour.Answer, machine: [Measured.MachineCount]) -> Bool {
        state.withLock { state in
            state.measured.held = held ?? 0
            state.measured.append(machine)
            if held == nil { state.failure = Self.uncounted }
            switch neighbour {
            case .notAsked: state.measured.neighbour = nil
            case .works: state.measured.neighbour = true
            case .cannotWork: state.measured.neighbour = false
            case .unknown(let failure): state.failure = failure
            }
            return state.failure != nil || !state.measured.isExceeded
        }
    }

    /// The result after the program's end, as soon as the kernel has released the program's objects. If the memory
    /// limit ended the program, the program counts as holding no objects.
    ///
    /// - Throws: an error if a count has no meaning for the attack.
    func result(of outcome: TrialOutcome, limit: UInt64) async throws(TrialFailure) -> Measured {
        for _ in 0..<20 {
            let after = measure.count(Measure.Scene(canaries: canaries, process: 0, reported: 0))
            let isOver = state.withLock { state in
                if after == nil { state.failure = Self.uncounted }
                state.measured.after = after ?? 0
                return state.measured.after <= state.measured.before + state.measured.allowed
            }
            if isOver { break }
            try? await Task.sleep(for: .milliseconds(100))
        }
        var state = self.state.withLock { $0 }
        if let failure = state.failure { throw TrialFailure("\(measure.unit): \(failure)") }
        state.measured.append(KernelCounts.machine())
        guard state.hasEnded else { return state.measured }
        guard outcome.end.ranOutOfMemory(limit: limit, wasKilled: false) else {
            throw TrialFailure("\(measure.unit): its program ended while it was measured\(outcome.fate)")
        }
        state.measured.held = state.measured.before
        state.measured.neighbour = nil
        return state.measured
    }

    /// Whether another program of the sandbox's user can still work. If root starts a sandbox, the sandbox has its own
    /// user, so there is no such program.
    private func neighbour(_ told: Int64) -> Neighbour.Answer {
        guard told > 0, getuid() != 0, let ask = measure.neighbour else { return .notAsked }
        var script = TrialScript()
        // The program inherits no descriptor of this process and has the usual descriptor limit.
        script.call("close_range", with: 5, 0xFFFF_FFFF, 0)
        let limit = script.words([1024, 1024])
        script.call("prlimit64", with: 0, 7, limit, 0)
        let proof = ask(&script)
        return Neighbour.answer(to: script, proof, program: program)
    }
}

extension Measured {
    fileprivate mutating func append(_ counts: [MachineCount]) {
        for count in counts {
            guard let index = machine.firstIndex(where: { $0.name == count.name }) else { continue }
            machine[index].values += count.values
        }
    }
}
