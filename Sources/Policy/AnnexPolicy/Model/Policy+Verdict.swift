extension Policy {
    /// Decides about a call only by its number and registers. No memory of the calling program is read, so the program
    /// cannot change the answer in the meantime.
    public func verdict(number: Int32, arguments: [UInt64]) -> Verdict {
        let call = SystemCall(number: number, architecture: architecture)
        let rule = rule(number: number, arguments: arguments)
        let answer = answer(to: call, rule: rule, arguments: arguments)
        if answer != .allow, let call,
            let verdict = verdictOfWriteXorExecute(call, arguments: arguments, answer: answer)
        {
            return verdict
        }
        let isLaunch = answer == .allow && rule?.answer != .allow
        return Verdict(
            answer: answer, layer: answer == .allow ? nil : .seccomp, place: rule?.place ?? unlisted.place,
            reason: isLaunch ? "needed by the launch itself" : rule?.reason,
            remedy: answer == .allow ? nil : call.flatMap { remedy(for: $0, arguments: arguments) },
            bound: isLaunch ? nil : rule?.bound)
    }

    /// The verdict on a call that a rule would allow if the setting `write-xor-execute` were off; nil for any other
    /// call.
    private func verdictOfWriteXorExecute(
        _ call: SystemCall, arguments: [UInt64], answer: CallAnswer
    ) -> Verdict? {
        let wider = widerRules[call.number]?.first { $0.applies(to: arguments) }
        guard let wider, wider.answer == .allow, let place = places[.writeXorExecute] else { return nil }
        return Verdict(
            answer: answer, layer: .seccomp, place: place,
            reason: "memory that was ever writable never becomes executable", remedy: .writeXorExecuteOff)
    }

    /// The answer without its explanation.
    package func answer(_ use: CallUse) -> CallAnswer { answer(number: use.number, arguments: use.arguments) }

    package func answer(number: Int32, arguments: [UInt64]) -> CallAnswer {
        let call = SystemCall(number: number, architecture: architecture)
        return answer(to: call, rule: rule(number: number, arguments: arguments), arguments: arguments)
    }

    /// The bound that the broker enforces for an allowed call.
    package func bound(number: Int32, arguments: [UInt64]) -> CallBound? {
        rule(number: number, arguments: arguments)?.bound
    }

    private func rule(number: Int32, arguments: [UInt64]) -> CallRule? {
        rules[number]?.first { $0.applies(to: arguments) }
    }

    private func answer(to call: SystemCall?, rule: CallRule?, arguments: [UInt64]) -> CallAnswer {
        guard let call else { return .deny(errno: unlisted.unknown, reported: true) }
        if isNeededByLaunch(call, arguments: arguments) { return .allow }
        return rule?.answer ?? .deny(errno: unlisted.known, reported: true)
    }

    func isNeededByLaunch(_ call: SystemCall, arguments: [UInt64]) -> Bool {
        if LaunchCalls.names.contains(call.name) { return true }
        return call.name == LaunchCalls.exec && LaunchCalls.passesExec(arguments)
    }

    /// The entry that allows exactly this call. It states the arguments that the policy already compares, and the
    /// arguments that choose the operation. An address is left out, because it differs from run to run.
    private func remedy(for call: SystemCall, arguments: [UInt64]) -> Remedy? {
        if call.name == LaunchCalls.exec { return nil }
        // The limit of one process would deny the thread even if the filter allowed the call.
        if limits.processes <= 1, call.startsThread(arguments) { return nil }
        if let bits = remedyForIdentityBits(number: call.number, arguments: arguments) { return bits }
        let compared = Set(
            (rules[call.number] ?? []).flatMap { $0.conditions.map(\.index) }
                + call.registersAboutIdentityBits(arguments))
        let known = call.arguments ?? []
        let stated = known.indices.filter { index in
            let isAddress = known[index].kind.style == .pointer && index < arguments.count && arguments[index] != 0
            return !isAddress && (compared.contains(index) || known[index].kind.choosesOperation)
        }
        let breaks =
            writeXorExecute
            && WriteXorExecute.isBroken(by: call, arguments, filesCanExecute: WriteXorExecute.filesCanExecute(rules))
        return .entry(
            CallEntry(
                call: call,
                compared: stated.map { CallEntry.Argument(index: $0, value: $0 < arguments.count ? arguments[$0] : 0) },
                breaksWriteXorExecute: breaks))
    }
}

extension SystemCall {
    /// Whether the call starts a thread of its own process. `clone3` has its flags in memory, so it counts as the start of
    /// a process.
    fileprivate func startsThread(_ arguments: [UInt64]) -> Bool {
        guard name == "clone", let flags = arguments.first, let kind = self.arguments?.first?.kind else { return false }
        return kind.value(named: "CLONE_THREAD").map { flags & $0 != 0 } ?? false
    }
}

extension ArgumentKind {
    fileprivate var choosesOperation: Bool { style == .one }
}

/// A policy's decision about one call, and the line that decides.
public struct Verdict: Sendable, Hashable {
    public let answer: CallAnswer
    /// The layer that refuses the call; nil if the call is allowed.
    public let layer: SandboxLayer?
    /// The line that decides.
    public let place: PolicyPlace
    /// The reason that the line states; nil if the policy does not list the call.
    public package(set) var reason: String?
    /// What would allow the call. Nil if the call is allowed, or if nothing can allow it.
    public package(set) var remedy: Remedy?
    /// The bound that the broker enforces for an allowed call; nil if the kernel lets the call pass by itself.
    public var bound: CallBound? = nil
}
