internal import AnnexPolicy
internal import Glibc
internal import Synchronization

extension DenialListener {
    /// Answers a call by which the program executes a file or asks whether it may, as the policy's filter would. Notes
    /// the file if the sandbox refuses its execution.
    ///
    /// - Returns: false if the call is none of these calls, or if the filter leaves the answer to the broker.
    func passExecution(_ call: HeldCall) -> Bool {
        let answer = scene.executions?.answer(
            number: call.number, architecture: call.architecture, arguments: call.arguments)
        switch answer {
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
