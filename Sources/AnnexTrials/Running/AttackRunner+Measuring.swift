internal import AnnexLinux
internal import AnnexPolicy
internal import AnnexSandbox
internal import Synchronization

extension AttackRunner {
    /// Runs a script and measures what the kernel holds for it, once it has taken what it could.
    func measure(
        _ measure: Measure, _ script: TrialScript, _ proof: Proof, under policy: Policy, layers: SandboxLayers
    ) async throws(TrialFailure) -> TrialOutcome {
        var script = script
        let waiting = script.room(8)
        script.call("read", .number(TrialGround.hold), waiting, 1)
        var ends = try TrialSandbox.system { () throws(SystemError) in
            try DescriptorPair.pipe(nonBlocking: false).list()
        }
        guard let reading = ends.takeFirst(), let writing = ends.takeFirst() else {
            throw TrialFailure("a pipe without ends")
        }
        var gifts = try ground.gifts()
        gifts.append(reading)
        let measurement = Measurement(measure, policy, ground, sandbox.programPath)
        let look = TrialLook(after: proof.step, writing: writing) { run, answers in
            await measurement.look(at: run, told: answers.results[proof.step] ?? 0)
        }
        var outcome = try await sandbox.run(script, under: policy, layers: layers, gifts: gifts, look: look)
        outcome.measured = await measurement.result()
        return outcome
    }
}

/// The counts of one program, taken at three moments.
private final class Measurement: Sendable {
    private let measure: Measure
    private let ground: TrialGround
    /// Where the program of the trial is, to be a neighbour as well.
    private let program: String
    private let measured: Mutex<Measured>

    init(_ measure: Measure, _ policy: Policy, _ ground: TrialGround, _ program: String) {
        self.measure = measure
        self.ground = ground
        self.program = program
        let before = measure.count(Measure.Scene(ground: ground, process: 0, told: 0)) ?? 0
        measured = Mutex(
            Measured(
                unit: measure.unit, before: before, allowed: measure.allowance.bytes(policy) / measure.size,
                machine: KernelCounts.machine()))
    }

    /// How often a program that holds too much is looked at: the limit of memory may be one that is only looked after now
    /// and then, and ends it a moment later.
    private var looks: Int { if case .memoryLimit = measure.allowance { 30 } else { 2 } }

    /// While it holds what it took. One that is ended for it holds nothing.
    func look(at run: TrialRun, told: Int64) async {
        for attempt in 0..<looks {
            let scene = Measure.Scene(ground: ground, process: run.process ?? 0, told: UInt64(max(0, told)))
            let held = measure.count(scene) ?? 0
            let neighbour = told > 0 ? asksNeighbour() : nil
            let machine = attempt == 0 ? KernelCounts.machine() : []
            let isDone = measured.withLock { measured in
                measured.held = held
                measured.neighbour = neighbour
                measured.append(machine)
                return !measured.isExceeded
            }
            if isDone { return }
            guard run.process != nil else { return forget() }
            try? await Task.sleep(for: .milliseconds(100))
        }
    }

    /// After its end, as soon as the kernel has let go of it.
    func result() async -> Measured {
        for _ in 0..<20 {
            let after = measure.count(Measure.Scene(ground: ground, process: 0, told: 0)) ?? 0
            let isOver = measured.withLock { measured in
                measured.after = after
                return after <= measured.before + measured.allowed
            }
            if isOver { break }
            try? await Task.sleep(for: .milliseconds(100))
        }
        let machine = KernelCounts.machine()
        return measured.withLock { measured in
            measured.append(machine)
            return measured
        }
    }

    /// Its limit ended it.
    private func forget() {
        measured.withLock { measured in
            measured.held = measured.before
            measured.neighbour = nil
        }
    }

    private func asksNeighbour() -> Bool? {
        guard let ask = measure.neighbour else { return nil }
        var script = TrialScript()
        // Nothing of this process's, and the usual limit of descriptors.
        script.call("close_range", 5, 0xFFFF_FFFF, 0)
        let limit = script.words([1024, 1024])
        script.call("prlimit64", 0, 7, limit, 0)
        let proof = ask(&script)
        guard let answers = try? Neighbour.run(script, program: program), answers.hasBegun else { return nil }
        return proof.isGiven(by: answers)
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
