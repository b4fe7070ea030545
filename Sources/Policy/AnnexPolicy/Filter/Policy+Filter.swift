internal import Synchronization

extension Policy {
    /// The seccomp filter of this policy, compiled once per content and process.
    ///
    /// Annex's own evaluator compares the filter with the policy before it is returned.
    ///
    /// - Parameter reporting: the calls that the filter refers to its listener.
    /// - Throws: if libseccomp cannot express the policy, or if filter and policy differ.
    public func filter(reporting: FilterReports = .refusals) throws(PolicyError) -> SeccompFilter {
        if reporting == .refusals, let filter = book.filter { return filter }
        let key = FilterKey(architecture: architecture, reporting: reporting, rules: rules)
        if let known = FilterKey.compiled.withLock({ $0[key] }) { return known }
        let filter = try FilterCompiler(policy: self, reporting: reporting).compile()
        try judge(filter, reporting)
        FilterKey.compiled.withLock { compiled in
            if compiled.count >= 64 { compiled.removeAll() }
            compiled[key] = filter
        }
        return filter
    }

    private func judge(_ filter: SeccompFilter, _ reporting: FilterReports) throws(PolicyError) {
        let judge = FilterJudge(policy: self, filter: filter, reporting: reporting)
        guard let difference = judge.firstDifference(among: 0..<1024, architecture: architecture.audit) else { return }
        let call = SystemCall.describe(
            number: difference.call.number, arguments: difference.call.arguments, architecture: architecture)
        let rule = rules[difference.call.number]?.first
        throw PolicyError(
            "libseccomp cannot express these rules: \(call) would be \(difference.found.map { "\($0)" } ?? "no filter") "
                + "instead of \(difference.expected); state the opposite condition where one rule follows another",
            at: rule?.place)
    }
}

/// The values that a filter depends on.
private struct FilterKey: Hashable {
    let architecture: Architecture
    let reporting: FilterReports
    let rules: [Int32: [CallRule]]

    static let compiled = Mutex<[FilterKey: SeccompFilter]>([:])
}

/// The calls that a filter refers to its listener, which then answers them.
///
/// Calls that the launch itself needs are never referred: at that time no listener could answer.
public enum FilterReports: Sendable, Hashable, CaseIterable {
    /// Calls whose refusal is reported, that end the process, or that are allowed within bounds.
    case refusals
    /// Also every allowed call that can name a path, so that refused paths can be explained.
    case paths
    /// Also every other allowed call.
    case everything

    /// Whether the filter refers a call that the policy allows.
    func includesAllowed(_ call: SystemCall) -> Bool {
        switch self {
        case .refusals: false
        case .paths: call.takesPaths
        case .everything: true
        }
    }
}
