extension Policy {
    /// What this policy says about a call, from its number and registers alone, so that nothing the caller does
    /// meanwhile can change it.
    public func verdict(number: Int32, arguments: [UInt64]) -> Verdict {
        let call = SystemCall(number: number, architecture: architecture)
        if let call, isNeededByLaunch(call, arguments) {
            return Verdict(answer: .allow, place: unlisted.place, reason: "needed by the launch itself", remedy: nil)
        }
        let rule = rules[number]?.first { $0.applies(to: arguments) }
        let answer = rule?.answer ?? .refuse(errno: call == nil ? unlisted.unknown : unlisted.known, reported: true)
        return Verdict(
            answer: answer, place: rule?.place ?? unlisted.place, reason: rule?.reason,
            remedy: answer == .allow ? nil : call.flatMap { remedy(for: $0, arguments: arguments) })
    }

    private func isNeededByLaunch(_ call: SystemCall, _ arguments: [UInt64]) -> Bool {
        if LaunchCalls.names.contains(call.name) { return true }
        return call.name == LaunchCalls.exec && LaunchCalls.passesExec(arguments)
    }

    /// The entry that allows exactly this call: with the arguments that the policy already compares, or that choose
    /// what the call does.
    private func remedy(for call: SystemCall, arguments: [UInt64]) -> String? {
        if call.name == LaunchCalls.exec { return nil }
        let compared = Set((rules[call.number] ?? []).flatMap { $0.conditions.map(\.index) })
        let known = call.arguments ?? []
        let shown = known.indices.filter { compared.contains($0) || known[$0].kind.choosesOperation }
        if shown.isEmpty { return "- \(call.name)" }
        let conditions = shown.map { index in
            let value = index < arguments.count ? arguments[index] : 0
            return "\(known[index].name): \(known[index].kind.policyText(value))"
        }
        return "- { call: \(call.name), when: { \(conditions.joined(separator: ", ")) } }"
    }
}

extension ArgumentKind {
    fileprivate var choosesOperation: Bool { style == .one }

    /// The value as a policy would state it: one name, or all the names that it joins.
    fileprivate func policyText(_ register: UInt64) -> String {
        guard !constants.isEmpty else { return WholeNumber.hexadecimal(register & mask) }
        let text = describe(register)
        return text.contains("|") ? "{ exactly: [\(text.split(separator: "|").joined(separator: ", "))] }" : text
    }
}
