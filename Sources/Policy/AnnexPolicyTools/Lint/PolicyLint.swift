public import AnnexPolicy

/// Finds effects of a policy that its author probably did not intend.
struct PolicyLint {
    let policy: Policy

    /// Every finding, in the order of the text.
    package func findings() -> [PolicyFinding] {
        let all =
            idleRules() + dangerousCalls() + dangerousArguments() + memory() + paths() + contradictions()
            + descriptorTables()
        return all.sorted { first, second in
            guard let one = first.place, let other = second.place else { return first.place != nil }
            return one == other ? first.problem < second.problem : one.comesBefore(other)
        }
    }

    /// Rules that never decide, because earlier rules answer every call to which they apply.
    private func idleRules() -> [PolicyFinding] {
        policy.rules.values.flatMap { rules in
            let edges = CallEdges(rules: rules).arguments
            return rules.indices.dropFirst().compactMap { index -> PolicyFinding? in
                let decides = edges.contains { arguments in
                    rules[index].applies(to: arguments) && !rules[..<index].contains { $0.applies(to: arguments) }
                }
                if decides { return nil }
                return PolicyFinding(
                    "this rule about `\(rules[index].call)` never decides: earlier rules answer every call that it "
                        + "applies to",
                    at: rules[index].place, remedy: "remove it, or narrow the rule in line \(rules[0].place.line)")
            }
        }
    }

    private func dangerousCalls() -> [PolicyFinding] {
        DangerousCalls.all.compactMap { danger in
            guard let rule = allowing(danger.call) else { return nil }
            if danger.isOnlyUnconditional, !rule.conditions.isEmpty { return nil }
            return PolicyFinding("allows `\(danger.call)`, which \(danger.why)", at: rule.place, remedy: danger.remedy)
        }
    }

    /// Dangerous values that a rule allows for an argument.
    private func dangerousArguments() -> [PolicyFinding] {
        DangerousCalls.arguments.compactMap { danger in
            guard let call = SystemCall(named: danger.call, architecture: policy.architecture),
                let index = call.arguments?.firstIndex(where: { $0.name == danger.argument })
            else { return nil }
            let passing = danger.values.filter { name in
                guard let value = call.arguments?[index].kind.value(named: name) else { return false }
                return passes(call, register: index, value: value, unless: danger.bound)
            }
            guard let rule = allowing(danger.call), !rule.conditions.isEmpty || danger.alsoUnconditional,
                !passing.isEmpty
            else { return nil }
            let names = passing.joined(separator: ", ")
            return PolicyFinding(
                "lets `\(danger.call)` pass with \(names): \(danger.why)", at: rule.place,
                remedy: danger.bound.map { "state `bounded: \($0.rawValue)` in a separate group" }
                    ?? "list the values of `\(danger.argument)` that are needed")
        }
    }

    /// Whether a rule allows that value of one register, for some values of the other registers.
    ///
    /// - Parameter bound: calls with this bound do not count as allowed.
    private func passes(
        _ call: SystemCall, register: Int, value: UInt64, unless bound: CallBound? = nil
    ) -> Bool {
        CallEdges(rules: policy.rules[call.number] ?? []).arguments.contains { edge in
            var arguments = edge
            arguments[register] = value
            guard policy.answer(number: call.number, arguments: arguments) == .allow else { return false }
            return bound == nil || policy.bound(number: call.number, arguments: arguments) != bound
        }
    }

    func allowing(_ name: String) -> CallRule? {
        guard let call = SystemCall(named: name, architecture: policy.architecture) else { return nil }
        return policy.rules[call.number]?.first { $0.answer == .allow }
    }

    private func memory() -> [PolicyFinding] {
        guard !policy.writeXorExecute else { return [] }
        let place = policy.places[.writeXorExecute]
        let mapped = passes("mmap", given: ["prot": 6]) || passes("mprotect", given: ["prot": 4])
        guard mapped else { return [] }
        return [
            PolicyFinding(
                "memory that was written can become code: `mmap` or `mprotect` pass with PROT_EXEC", at: place,
                remedy: "state `write-xor-execute: on`, unless the program generates code at run time")
        ]
    }

    private func passes(_ name: String, given: [String: UInt64]) -> Bool {
        guard let call = SystemCall(named: name, architecture: policy.architecture) else { return false }
        return given.contains { argument, value in
            guard let index = call.arguments?.firstIndex(where: { $0.name == argument }) else { return false }
            return passes(call, register: index, value: value)
        }
    }
}

extension Policy {
    /// The findings that the policy's author should examine. They report rules that never decide, calls and paths that
    /// allow more than they seem to, and statements that contradict each other. A finding does not make the policy
    /// unusable.
    public func findings() -> [PolicyFinding] { PolicyLint(policy: self).findings() }
}

extension PolicyLibrary {
    /// The findings about one policy. If the policy has mistakes that make it unusable, these mistakes are the
    /// findings. Otherwise the findings are the warnings.
    public func findings(about name: String, for architecture: Architecture = .current) -> [PolicyFinding] {
        let mistakes = mistakes(in: name, for: architecture)
        guard mistakes.isEmpty else { return mistakes.map { PolicyFinding($0) } }
        do throws(PolicyError) {
            let policy = try policy(named: name, for: architecture)
            _ = try policy.filter()
            return policy.findings()
        } catch {
            return [PolicyFinding(error)]
        }
    }
}

/// Finds calls that make `/proc/locks` wrong. For each lock, this file names one process as the holder. After such a
/// call, the lock can belong to a process that the file does not name, or to a single thread.
extension PolicyLint {
    private struct Way {
        let call: String
        let register: Int
        /// The bits of `mask` that must be set. All other bits of `mask` must be clear.
        let bits: UInt64
        let mask: UInt64
        let problem: String
        let remedy: String
    }

    private static let files: UInt64 = 0x400
    private static let thread: UInt64 = 0x1_0000
    private static let unshare: UInt64 = 2

    private static let together =
        "state two rules: `flags: { has: [CLONE_FILES, CLONE_THREAD] }` and `{ without: [CLONE_FILES, CLONE_THREAD] }`"

    private static let ways = [
        Way(
            call: "clone", register: 0, bits: thread, mask: files | thread,
            problem: "with CLONE_THREAD and without CLONE_FILES: a thread can lock again what its process locked",
            remedy: together),
        Way(
            call: "clone", register: 0, bits: files, mask: files | thread,
            problem:
                "with CLONE_FILES and without CLONE_THREAD: locks can outlive the process that they are counted for",
            remedy: together),
        Way(
            call: "close_range", register: 2, bits: unshare, mask: unshare,
            problem: "with CLOSE_RANGE_UNSHARE: a thread can lock again what its process locked",
            remedy: "state `flags: { without: CLOSE_RANGE_UNSHARE }`"),
    ]

    /// Finds calls that make `/proc/locks` wrong, if the policy counts locks. Such a call gives threads of one process
    /// separate descriptor tables, or lets two processes share one table.
    func descriptorTables() -> [PolicyFinding] {
        guard policy.rules.values.joined().contains(where: { $0.bound == .locks }) else { return [] }
        return Self.ways.compactMap { way in
            guard let call = SystemCall(named: way.call, architecture: policy.architecture),
                let rule = allowing(way.call), passes(call, way: way)
            else { return nil }
            return PolicyFinding(
                "counts locks, but lets `\(way.call)` pass \(way.problem)", at: rule.place, remedy: way.remedy)
        }
    }

    private func passes(_ call: SystemCall, way: Way) -> Bool {
        CallEdges(rules: policy.rules[call.number] ?? []).arguments.contains { edge in
            var arguments = edge
            arguments[way.register] = arguments[way.register] & ~way.mask | way.bits
            return policy.answer(number: call.number, arguments: arguments) == .allow
        }
    }
}
