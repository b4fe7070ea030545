internal import AnnexLinux
internal import AnnexNames
internal import AnnexPolicy
internal import CAnnexLinux
internal import Glibc
internal import Synchronization

extension CallDesk {
    /// Handles a call that the policy denies: examines it while it is held, answers it, then records it.
    ///
    /// - Parameter text: the call in words; nil if its plain description is to be used.
    func deny(
        _ call: HeldCall, verdict: Verdict, decision: DenialDecider.Decision, answer: Denial.Answer,
        text: String? = nil
    ) {
        let name = SystemCall(number: call.number)?.name ?? "call \(call.number)"
        let text = scene.hasPrivateInput ? "\(name)()" : text ?? describe(call)
        let key = Denial.Key(call: name, text: text, missing: nil)
        var caller = Caller(thread: call.thread)
        var stack: Result<StackSample, StackSample.Missing>?
        if books.withLock({ $0.wantsMore(about: key) }) {
            // A process can write any text into its name.
            if !scene.hasPrivateInput { caller = Caller(asking: call.thread) }
            stack = sample(call)
            // The thread may have ended, and a new thread may have got its number.
            if !call.isHeld(on: listener) { caller = Caller(thread: call.thread) }
        }
        // If the sandbox has used up its allowed number of denials, this call gets no answer, so the calling thread
        // cannot continue. The broker kills the sandbox when it handles the report of this denial, however late that
        // is.
        settle(call, with: books.withLock { $0.hasSpent(scene.policy.limits.denials) } ? .end : decision)
        var denial = Denial(
            subject: .call(CallUse(number: call.number, arguments: call.arguments)), call: name, text: text,
            answer: answer, layers: [verdict.layer ?? .seccomp], policyLine: "\(verdict.place)",
            reason: verdict.reason, remedy: verdict.remedy, caller: caller)
        denial.isQuiet = scene.policy.statesDenial(number: call.number, arguments: call.arguments)
        record(denial)
        if let stack { keep(stack, of: .denial(key)) }
    }

    /// Refuses a connection to another machine, and reports the machine.
    func refuse(_ refusal: HostRefusal, by call: HeldCall, errno: Int32, verdict: Verdict) {
        let caller = scene.hasPrivateInput ? Caller(thread: call.thread) : Caller(asking: call.thread)
        let isSpent = books.withLock { $0.hasSpent(scene.policy.limits.denials) }
        settle(call, with: isSpent ? .end : .deny(errno: errno))
        record(
            denial(
                of: refusal, by: "connect", errno: errno, layers: [.network], line: "\(verdict.place)", caller: caller))
    }

    /// Reports a name for which the program asked in vain, or a connection that began in a way that is refused.
    func record(_ refusal: HostRefusal) {
        let isName = refusal.port == nil
        record(
            denial(
                of: refusal, by: isName ? "resolve" : "connect", errno: isName ? ENOENT : ECONNRESET,
                layers: [.network], line: scene.policy.places[.network].map { "\($0)" }, caller: Caller(thread: 0)))
    }

    private func denial(
        of refusal: HostRefusal, by call: String, errno: Int32, layers: [SandboxLayer], line: String?, caller: Caller
    ) -> Denial {
        if scene.hasPrivateInput {
            // The machine may reveal private input.
            let number = SystemCall(named: "connect", architecture: .current)?.number ?? -1
            return Denial(
                subject: .call(CallUse(number: number, arguments: [])), call: call, text: "\(call)()",
                answer: .denied(errno: errno), layers: layers, policyLine: line, reason: "no grant names this machine",
                remedy: nil, caller: caller)
        }
        let grantee = scene.grantee
        let remedy: Remedy? = grantee.flatMap { identifier in
            refusal.rule.map { .host($0, of: identifier, besides: scene.policy.hosts.list) }
        }
        return Denial(
            subject: .host(DeniedHost(refusal, isOfExtension: grantee != nil)), call: call,
            text: "\(call == "connect" ? "connect to" : call) \(refusal.place)", answer: .denied(errno: errno),
            layers: layers, policyLine: line, reason: refusal.words, remedy: remedy, caller: caller)
    }

    /// Handles a call that proceeds. The broker reads the paths in the arguments while the call is held. It judges the
    /// paths after it has answered the call.
    func explain(_ call: HeldCall) {
        // No mount and no Landlock rule forbids a connection to a socket file that the program sees.
        let isConnection = SystemCall(number: call.number)?.name == "connect"
        let named = isConnection ? paths(of: call).map { $0.needing(.read) } : paths(of: call)
        let paths = named.isEmpty ? [] : books.withLock { $0.paths?.doubtful(named, by: call) ?? [] }
        guard !paths.isEmpty else { return settle(call, with: .proceed) }
        let text = describe(call)
        let caller = Caller(asking: call.thread)
        let isHeld = call.isHeld(on: listener)
        settle(call, with: .proceed)
        guard isHeld else { return }
        let denials = books.withLock { books in
            paths.compactMap { books.paths?.denial($0, by: call, text: text, caller: caller) }
        }
        for denial in denials { record(denial) }
    }

    /// Records every call of a trusted program, so that a policy can be proposed from them.
    func record(_ call: HeldCall, decision: DenialDecider.Decision) {
        let paths = paths(of: call)
        let network = NetworkUse(of: call, on: listener)
        let isHeld = paths.isEmpty && network.isEmpty || call.isHeld(on: listener)
        settle(call, with: decision)
        books.withLock { $0.record(call, paths: isHeld ? paths : [], network: isHeld ? network : nil) }
    }

    private func record(_ denial: Denial) {
        let total = books.withLock { $0.isClosed ? nil : $0.record(denial) }
        if let total { deliver(.denied(denial, total: total)) }
    }

    func paths(of call: HeldCall) -> [NamedPath] {
        guard let known = SystemCall(number: call.number), known.takesPaths else { return [] }
        return known.pathUses(call.arguments).compactMap { NamedPath($0, of: call) }
    }

    func describe(_ call: HeldCall) -> String {
        SystemCall.describe(number: call.number, arguments: call.arguments) { call.text(of: $0, on: listener) }
    }
}

// MARK: - Stacks

extension CallDesk {
    /// Copies the data for a backtrace while the call is held. Returns nil if this sandbox gets no backtraces.
    func sample(_ call: HeldCall, at fault: StoppedThread? = nil) -> Result<StackSample, StackSample.Missing>? {
        guard let program = scene.program else { return nil }
        program.open(through: call.thread)
        do throws(StackSample.Missing) {
            return .success(try StackSample(of: call, at: fault, on: listener))
        } catch {
            return .failure(error)
        }
    }

    /// Queues a stack copy, which the thread of `PostMortem` walks later.
    func keep(_ stack: Result<StackSample, StackSample.Missing>, of event: StackEvent) {
        switch stack {
        case .failure(let missing): books.withLock { $0.record(Backtrace(missing: missing.text), of: event) }
        case .success(let sample):
            books.withLock { $0.keep(sample, of: event) }
            let isTaken = PostMortem.shared.queueWalk { [weak self] in _ = self?.walkNext() }
            if !isTaken { books.withLock { $0.loseStack(of: event) } }
        }
    }

    /// - Returns: whether there was a stack copy to walk.
    private func walkNext() -> Bool {
        guard let program = scene.program, let (event, sample) = books.withLock({ $0.popStack() }) else {
            return false
        }
        let backtrace = Backtrace(sample, of: program)
        books.withLock { $0.record(backtrace, of: event) }
        PostMortem.shared.advance()
        return true
    }

    /// Makes the final summary, with names for the functions whose addresses are known.
    func close() -> DenialSummary {
        while walkNext() {}
        recordExecutions()
        var summary = books.withLock { $0.lastSummary(scene) }
        if let program = scene.program { summary.name(by: program) }
        books.withLock { $0.close(summary) }
        return summary
    }
}

extension CallDesk {
    /// Examines the stack of a program that aborts or faults. Only the first such call is examined. Later calls of
    /// this kind are treated like any other call.
    ///
    /// - Returns: whether the only purpose of the call was to report the crash. In that case this function has
    ///   already answered the call.
    func recordCrash(_ call: HeldCall, isAbort: Bool) -> Bool {
        let fault = StoppedThread(faulting: call)
        guard isAbort || fault != nil, books.withLock({ $0.wantsCrash() }) else { return false }
        if let stack = sample(call, at: fault) {
            let signal = Int32(truncatingIfNeeded: call.arguments[2])
            books.withLock { $0.crash = Crash(signal: signal, backtrace: Backtrace()) }
            keep(stack, of: .crash)
        }
        if fault != nil { settle(call, with: .deny(errno: EPERM)) }
        return fault != nil
    }
}

extension StoppedThread {
    /// The registers at the time of a fault. The program's fault handler passes them in its last call
    /// (`annex_tell_of_faults`). nil for any other call.
    fileprivate init?(faulting call: HeldCall) {
        guard call.arguments[0] == UInt64(ANNEX_FAULT_MARK), SystemCall(number: call.number)?.name == "tgkill" else {
            return nil
        }
        self.init(
            stackPointer: call.arguments[4], instruction: call.arguments[3], framePointer: call.arguments[5])
    }
}

// MARK: - Executions

extension CallDesk {
    /// Answers a call by which the program executes a file, asks whether it may, or connects to a socket file, as the
    /// policy's filter would. Notes the file if the sandbox refuses the program's wish.
    ///
    /// - Returns: false if the call is none of these calls, or if the filter leaves the answer to the broker.
    func passExecution(_ call: HeldCall) -> Bool {
        let answer = scene.executions?.answer(
            number: call.number, architecture: call.architecture, arguments: call.arguments)
        switch answer {
        case .allow where SystemCall(number: call.number)?.name == "connect": explain(call)
        case .allow: note(call)
        case .errno(let errno): settle(call, with: .deny(errno: errno))
        case .notify, .killProcess, .other, nil: return false
        }
        return true
    }

    private func note(_ call: HeldCall) {
        let named = paths(of: call).first { path in executions.withLock { $0.isNew(path.path) } }
        guard let named else { return settle(call, with: .proceed) }
        let asking = AskedExecutions.Asking(
            call: SystemCall(number: call.number)?.name ?? "call \(call.number)", text: describe(call),
            caller: Caller(asking: call.thread))
        let isHeld = call.isHeld(on: listener)
        settle(call, with: .proceed)
        if isHeld { executions.withLock { $0.add(named.path, by: asking) } }
    }

    /// Records the files that the program could not execute. The caller has stopped the listener.
    func recordExecutions() {
        guard scene.executions != nil else { return }
        for (path, asking) in executions.withLock({ $0.refused() }) {
            let verdict = scene.policy.verdict(path: path, rights: .execute)
            let denied = DeniedPath(
                path: path, needed: .execute, missing: .execute, makesEntry: false,
                grant: GrantOption(for: path, rights: .execute, beside: scene.policy))
            let denial = Denial(
                subject: .path(denied), call: asking.call, text: asking.text,
                answer: .denied(errno: EACCES), layers: [.mount, .landlock],
                policyLine: verdict.place.map { "\($0)" }, reason: verdict.reason,
                remedy: verdict.remedy, caller: asking.caller)
            books.withLock { _ = $0.record(denial) }
        }
    }
}
