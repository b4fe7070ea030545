internal import AnnexPolicy

/// Finds calls after which a lock belongs to something other than the process that the kernel's list names.
extension PolicyLint {
    private struct Way {
        let call: String
        let register: Int
        /// The bits of `mask` that must be set; the other bits of `mask` must be clear.
        let bits: UInt64
        let mask: UInt64
        let problem: String
        let remedy: String
    }

    private static let files: UInt64 = 0x400
    private static let thread: UInt64 = 0x1_0000
    private static let unshare: UInt64 = 2

    private static let together =
        "two rules, `flags: { has: [CLONE_FILES, CLONE_THREAD] }` and `{ without: [CLONE_FILES, CLONE_THREAD] }`"

    private static let ways = [
        Way(
            call: "clone", register: 0, bits: thread, mask: files | thread,
            problem: "with CLONE_THREAD and without CLONE_FILES: a thread can lock again what its process locked",
            remedy: together),
        Way(
            call: "clone", register: 0, bits: files, mask: files | thread,
            problem: "with CLONE_FILES and without CLONE_THREAD: locks can outlive the process that they count for",
            remedy: together),
        Way(
            call: "close_range", register: 2, bits: unshare, mask: unshare,
            problem: "with CLOSE_RANGE_UNSHARE: a thread can lock again what its process locked",
            remedy: "`flags: { without: CLOSE_RANGE_UNSHARE }`"),
    ]

    /// Calls, in a policy that counts locks, that separate the descriptor tables of one process's threads or share a
    /// table with another process.
    func descriptorTables() -> [PolicyFinding] {
        guard policy.rules.values.joined().contains(where: { $0.bound == .locks }) else { return [] }
        return Self.ways.compactMap { way in
            guard let call = SystemCall(named: way.call, architecture: policy.architecture),
                let rule = allowing(way.call), passes(call, way)
            else { return nil }
            return PolicyFinding(
                "counts locks, but lets `\(way.call)` pass \(way.problem)", at: rule.place, remedy: way.remedy)
        }
    }

    private func passes(_ call: SystemCall, _ way: Way) -> Bool {
        CallEdges(rules: policy.rules[call.number] ?? []).arguments.contains { edge in
            var arguments = edge
            arguments[way.register] = arguments[way.register] & ~way.mask | way.bits
            return policy.answer(number: call.number, arguments: arguments) == .allow
        }
    }
}
