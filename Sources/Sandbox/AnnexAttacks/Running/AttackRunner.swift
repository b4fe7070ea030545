package import AnnexLaunch
internal import AnnexLinux
package import AnnexPolicy
internal import Glibc

/// Runs attacks. Each try runs in its own sandbox.
package final class AttackRunner: Sendable {
    package let sandbox: TrialSandbox
    let canaries: Canaries

    package init() throws(TrialFailure) {
        sandbox = try TrialSandbox()
        canaries = try Canaries(for: sandbox)
    }

    /// Runs all tries of an attack.
    ///
    /// - Throws: an error if a trial fails although no layer was left out. This failure shows nothing about the attack.
    package func run(
        _ attack: Attack, under policy: Policy, layers: SandboxLayers = .all
    ) async throws(TrialFailure) -> AttackResult {
        var tried: [AttackResult.Tried] = []
        for one in attack.tries {
            tried.append(try await run(one, under: policy, layers: layers))
        }
        return AttackResult(attack, tries: tried)
    }

    package func run(
        _ one: Try, under policy: Policy, layers: SandboxLayers
    ) async throws(TrialFailure) -> AttackResult.Tried {
        var tried = try await runOnce(one, under: policy, layers: layers)
        for _ in 1..<one.sandboxes where tried.verdict == .gotThrough {
            tried = try await runOnce(one, under: policy, layers: layers)
        }
        return tried
    }

    private func runOnce(
        _ one: Try, under policy: Policy, layers: SandboxLayers
    ) async throws(TrialFailure) -> AttackResult.Tried {
        let layers = layers.together
        if let missing = one.missing(layers) { return one.tried(.notApplicable(missing)) }
        let policy = one.measure == nil ? policy : Measure.policy(policy)
        var script = TrialScript()
        let proof = one.make(&script, canaries, policy)
        if proof.step < 0 { return one.tried(.notApplicable("the policy has nothing of the kind")) }
        let outcome = try await outcome(of: one, script: script, proof: proof, under: policy, layers: layers)
        canaries.service.hangUp()
        // If a program is killed at once, its end can be reported as a failed launch. If the program has sent an
        // answer, the answers decide about the try, and the failure is ignored.
        if let failure = outcome.end.failure, !outcome.answers.hasBegun {
            guard layers != .all else { throw TrialFailure("\(one.name): \(failure)") }
            return one.tried(.notApplicable("these layers cannot be had: \(failure.step)"), detail: "\(failure)")
        }
        guard outcome.answers.hasBegun else { throw TrialFailure("\(one.name): its program never ran\(outcome.fate)") }
        if outcome.isOverdue, layers == .all {
            throw TrialFailure("\(one.name): not done in \(TrialSandbox.watchdog), which says nothing about it")
        }
        return decide(one, held: Held(script, proof: proof, of: one, policy: policy, layers: layers), outcome: outcome)
    }

    private func outcome(
        of one: Try, script: TrialScript, proof: Proof, under policy: Policy, layers: SandboxLayers
    ) async throws(TrialFailure) -> TrialOutcome {
        if let measure = one.measure {
            let isOfUser = measure.neighbour != nil
            if isOfUser { await Turn.ofUser.enter() }
            defer { if isOfUser { Turn.ofUser.leave() } }
            return try await self.measure(measure, script: script, proof: proof, under: policy, layers: layers)
        }
        return try await sandbox.run(
            script, under: policy, layers: layers, user: one.hasCallersNumbers ? .ofPrograms : .ofItsOwn,
            gifts: canaries.gifts(), awaitsSilence: proof.awaitsSilence)
    }

    private func decide(_ one: Try, held: Held, outcome: TrialOutcome) -> AttackResult.Tried {
        let detail = outcome.detail(of: held.proof)
        func tried(_ verdict: TryVerdict) -> AttackResult.Tried {
            one.tried(verdict, detail: detail, measured: outcome.measured)
        }
        if held.proof.isGiven(by: outcome) {
            return tried(one.grantingLine(in: held.policy, for: outcome).map { .allowed(by: $0) } ?? .gotThrough)
        }
        let refusing = held.isDenied && held.layers.contains(.seccomp)
        if !refusing, held.proof.isAbsent(by: outcome.answers) {
            return tried(.notApplicable("this kernel has no such thing"))
        }
        var by = one.holding(sandbox.landlockABI, under: held.policy, inForce: held.layers).intersection(held.layers)
            .list
        if refusing { by.insert("seccomp", at: 0) }
        return tried(.stopped(by: by.isEmpty ? [one.otherwise] : by))
    }

    /// Predicts whether a try is stopped under these layers. It does not run the try.
    ///
    /// - Parameter bare: whether the try is stopped on this machine without any layer.
    package func isStopped(_ one: Try, under policy: Policy, layers: SandboxLayers, bare: Bool) -> Bool {
        let layers = layers.together
        var script = TrialScript()
        let held = Held(script: &script, of: one, canaries: canaries, policy: policy, layers: layers)
        return bare || held.isDenied && layers.contains(.seccomp)
            || !one.holding(sandbox.landlockABI, under: policy, inForce: layers).isDisjoint(with: layers)
    }
    /// Whether a policy's filter alone stops a try.
    func isDenied(_ one: Try, by policy: Policy) -> Bool {
        var script = TrialScript()
        return Held(script: &script, of: one, canaries: canaries, policy: policy, layers: .all).isDenied
    }
}

/// The facts about one try that are known before it runs.
private struct Held {
    let proof: Proof
    let policy: Policy
    let layers: SandboxLayers
    /// Whether the policy refuses a call that the try needs.
    let isDenied: Bool

    init(_ script: TrialScript, proof: Proof, of one: Try, policy: Policy, layers: SandboxLayers) {
        self.proof = proof
        self.policy = policy
        self.layers = layers
        // Without a user namespace of its own, a program could use up the user's watches. So the warden adds a filter
        // that refuses them.
        let needsWatches = !layers.contains(.user) && script.steps.contains { $0.makesWatches }
        isDenied = !one.isPerformed(under: policy, inForce: layers) && (needsWatches || script.needsDenied(by: policy))
    }

    init(
        script: inout TrialScript, of one: Try, canaries: borrowing Canaries, policy: Policy,
        layers: SandboxLayers
    ) {
        let proof = one.make(&script, canaries, policy)
        self.init(script, proof: proof, of: one, policy: policy, layers: layers)
    }
}

extension TrialScript {
    /// Whether the policy refuses a call that the script makes.
    func needsDenied(by policy: Policy) -> Bool {
        steps.contains { $0.isDenied(by: policy) } || again.contains { $0.needsDenied(by: policy) }
    }
}

extension TrialStep {
    fileprivate var makesWatches: Bool {
        if case .call(let number) = kind { SystemCall(number: number)?.name == "inotify_init1" } else { false }
    }

    fileprivate func isDenied(by policy: Policy) -> Bool {
        switch kind {
        case .call(let number): policy.denies(number, with: arguments.map(\.likely))
        // If a program enters the kernel by the 32-bit gate, the filter ends the program, whatever the policy allows.
        case .conduct(.foreignGate): true
        case .conduct(let conduct): conduct.calls(arguments).contains { policy.denies($0.number, with: $0.arguments) }
        case .report, .store: false
        }
    }
}

extension Policy {
    /// The layers that refuse a path. Each layer is sufficient alone. A refusal by a mount counts for the layer `root`,
    /// because the root is made of mounts.
    fileprivate func denyingLayers(path: String, rights: PathRights) -> SandboxLayers {
        verdict(path: path, rights: rights).deniedBy.reduce([]) { layers, layer in
            switch layer {
            case .root, .mount: layers.union(.root)
            case .landlock: layers.union(.landlock)
            default: layers
            }
        }
    }

    fileprivate func denies(_ number: Int32, with arguments: [UInt64]) -> Bool {
        let registers = arguments + [UInt64](repeating: 0, count: max(0, 6 - arguments.count))
        let verdict = verdict(number: number, arguments: registers)
        guard verdict.answer == .allow else { return true }
        return switch verdict.bound {
        // The broker grants locks only on files that the sandbox may write, and no try asks for such a lock. It makes
        // connections only to other machines. One try asks for such a connection: see `isPerformed`. It admits only a
        // tracer of its own child, and no try is one.
        case .locks, .connections, .tracing: true
        // The broker refuses only what is larger than the memory of the sandbox, and no try makes such an object. It
        // lets connections within the sandbox pass, and its network leads nowhere else.
        case .objects, .hosts, nil: false
        }
    }
}

extension Try {
    fileprivate func tried(
        _ verdict: TryVerdict, detail: String = "", measured: Measured? = nil
    ) -> AttackResult.Tried {
        AttackResult.Tried(name: name, verdict: verdict, detail: detail, measured: measured)
    }

    /// The policy's line that grants the action of a try that got through; nil if no line grants it.
    fileprivate func grantingLine(in policy: Policy, for outcome: TrialOutcome) -> String? {
        if let line = grant(policy) { return line }
        guard case .memoryLimitOfGroup(let call, let arguments) = measure?.allowance,
            outcome.report?.isMemoryEnforced == false,
            outcome.measured?.neighbour != false
        else { return nil }
        return policy.grantingLine(call: call, arguments)
    }

    /// Whether the broker performs the tried action.
    fileprivate func isPerformed(under policy: Policy, inForce layers: SandboxLayers) -> Bool {
        isBrokered && layers.contains(.seccomp) && grant(policy) != nil
    }

    /// The reason why the try has no meaning here; nil if the try has a meaning.
    fileprivate func missing(_ layers: SandboxLayers) -> String? {
        for need in needs {
            switch need {
            case .root: if getuid() != 0 { return "only root can prepare it" }
            case .layer(let layer): if !layers.isSuperset(of: layer) { return "it is about a layer that is left out" }
            case .landlock: break
            case .swap: if !KernelCounts.hasSwap { return "this machine has no swap" }
            }
        }
        if let path, unsafe access(path.name, F_OK) != 0, errno == ENOENT { return "this machine has no such file" }
        return nil
    }

    /// The layers except seccomp that stop the try under at least one of these policies, on a kernel with all features.
    func holdingAnywhere(_ policies: [Policy]) -> SandboxLayers {
        policies.reduce([]) { $0.union(holding(.max, under: $1, inForce: .all)) }
    }

    /// The layers that stop the try on a kernel whose Landlock has this ABI.
    fileprivate func holding(_ abi: Int, under policy: Policy, inForce: SandboxLayers) -> SandboxLayers {
        let wanted = needs.compactMap { if case .landlock(let version) = $0 { version } else { nil } }.max() ?? 1
        // A sandbox has its own `/proc`, and Landlock's rule for it, only if it has its own root and its own process
        // namespace.
        let hasProcessFiles = policy.paths.processFiles != .none && inForce.isSuperset(of: [.root, .process])
        if isPerformed(under: policy, inForce: inForce) { return [] }
        // A sandbox that uses the host's network has no network layer, whatever its other layers are.
        var own = policy.network.isOwn ? layers : layers.subtracting(.network)
        // Landlock (from ABI 4) lets the TCP of such a program through.
        if policy.network.connectsItself, wanted == 4 { own.subtract(.landlock) }
        let layers = own.union(hasProcessFiles ? [] : withoutProcessFiles).union(
            path.map { policy.denyingLayers(path: $0.name, rights: $0.rights) } ?? [])
        return abi >= wanted ? layers : layers.subtracting(.landlock)
    }
}

extension TrialOutcome {
    /// The answer to the deciding step.
    fileprivate func detail(of proof: Proof) -> String {
        if let measured, measured.held > 0 || measured.isExceeded { return measured.text }
        if let ending { return "ended: \(ending.text)" }
        if isOverdue { return "killed: not done in time" }
        if let number = answers.errno(proof.step) { return Errno.name(number) }
        if let result = answers.results[proof.step] { return "\(result)" }
        if case .signalled(let signal, _) = end.process { return "signal \(signal)" }
        return ""
    }
}
