internal import AnnexPolicy
internal import CAnnexSeccomp

/// Compares an imported policy with libseccomp's filter for the profile, for every call number and all edge values.
/// Edge values are register values near the points at which an answer can change.
///
/// If the rules of a profile overlap, only libseccomp decides about their order. If no policy can give the same answers
/// as a profile, this check finds and refuses the profile.
struct ProfileChecker {
    let profile: ContainerProfile
    let policy: Policy

    func check() throws(PolicyError) {
        let evaluator = FilterEvaluator(program: try program())
        for number in 0..<1024 as Range<Int32> {
            for arguments in CallEdges(rules: rules(of: number)).arguments {
                if isLaunch(number, arguments: arguments) { continue }
                let call = FilterEvaluator.Call(
                    number: number, architecture: policy.architecture.audit, arguments: arguments)
                let wanted = answer(try? evaluator.answer(to: call))
                let found = policy.answer(number: number, arguments: arguments).ofTheCall
                guard wanted == found else {
                    throw difference(number, arguments: arguments, wanted: wanted, found: found)
                }
            }
        }
    }

    /// The filter that runc requests from libseccomp, with one difference: if a call has no entry, the filter answers
    /// "notify". This answer stands for the profile's default action.
    private func program() throws(PolicyError) -> [FilterInstruction] {
        let context = try FilterContext.make(for: policy.architecture)
        for entry in profile.entries where entry.action != profile.defaultAction {
            for name in entry.names {
                guard let call = SystemCall(named: name, architecture: policy.architecture) else { continue }
                for conditions in entry.alternatives.isEmpty ? [[]] : entry.alternatives {
                    let rule = CallRule(
                        call: name, conditions: conditions, answer: entry.action.answer, reason: "", place: entry.place)
                    for parts in rule.combinations {
                        try context.add(entry.action.filterAction, to: call, if: parts, at: entry.place)
                    }
                }
            }
        }
        return FilterInstruction.program(try context.export())
    }

    private func rules(of number: Int32) -> [CallRule] {
        guard let call = SystemCall(number: number, architecture: policy.architecture) else { return [] }
        let own = profile.entries.filter { $0.names.contains(call.name) }.flatMap(\.alternatives).map { conditions in
            CallRule(call: call.name, conditions: conditions, answer: .allow, reason: "", place: profile.place)
        }
        return own + (policy.rules[number] ?? [])
    }

    /// Whether the call is the `execveat` of the launch itself. No profile mentions this call.
    private func isLaunch(_ number: Int32, arguments: [UInt64]) -> Bool {
        SystemCall(number: number, architecture: policy.architecture)?.name == LaunchCalls.exec
            && LaunchCalls.passesExec(arguments)
    }

    private func answer(_ found: FilterAnswer?) -> CallAnswer? {
        switch found {
        case .allow: .allow
        case .errno(let number): .deny(errno: number, reported: false)
        case .killProcess: .end
        case .notify: profile.defaultAction.answer
        case .other, nil: nil
        }
    }

    private func difference(
        _ number: Int32, arguments: [UInt64], wanted: CallAnswer?, found: CallAnswer
    ) -> PolicyError {
        let call = SystemCall(number: number, architecture: policy.architecture)
        let entry = profile.entries.first { call.map { $0.name }.map($0.names.contains) ?? false }
        let text = SystemCall.describe(number: number, arguments: arguments, architecture: policy.architecture)
        return PolicyError(
            "no order of rules answers as libseccomp does: \(text) is \(wanted?.words ?? "no answer") for "
                + "libseccomp and \(found.words) for the policy; the profile's entries for this call "
                + "overlap: make them exclude each other",
            at: entry?.place ?? profile.place)
    }
}

extension ContainerProfile.Action {
    fileprivate var filterAction: FilterContext.Action {
        switch self {
        case .allow: .allow
        case .errno(let number): .deny(errno: number)
        case .kill: .endProcess
        }
    }
}

extension CallAnswer {
    /// The answer without the distinction between reported and unreported refusals.
    fileprivate var ofTheCall: CallAnswer {
        if case .deny(let errno, _) = self { .deny(errno: errno, reported: false) } else { self }
    }
}
