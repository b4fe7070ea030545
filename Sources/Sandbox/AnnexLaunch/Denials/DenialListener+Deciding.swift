internal import AnnexLinux
internal import AnnexPolicy
internal import Synchronization

extension DenialListener {
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

    /// Handles a call that proceeds. The broker reads the paths in the arguments while the call is held. It judges the
    /// paths after it has answered the call.
    func explain(_ call: HeldCall) {
        let named = paths(of: call)
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
        let address = InternetAddress.use(by: call)
        let isHeld = paths.isEmpty && address == nil || call.isHeld(on: listener)
        settle(call, with: decision)
        books.withLock { $0.record(call, paths: isHeld ? paths : [], address: isHeld ? address : nil) }
    }

    private func record(_ denial: Denial) {
        let total = books.withLock { $0.record(denial) }
        deliver(.denied(denial, total: total))
    }

    func paths(of call: HeldCall) -> [NamedPath] {
        guard let known = SystemCall(number: call.number), known.takesPaths else { return [] }
        return known.pathUses(call.arguments).compactMap { NamedPath($0, of: call) }
    }

    func describe(_ call: HeldCall) -> String {
        SystemCall.describe(number: call.number, arguments: call.arguments) { call.text(of: $0, on: listener) }
    }
}
