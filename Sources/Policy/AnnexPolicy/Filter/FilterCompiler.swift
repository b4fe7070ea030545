internal import CAnnexSeccomp
internal import Synchronization

extension Policy {
    /// The seccomp filter of this policy. A process keeps compiled filters, and policies with equal rules share one
    /// filter.
    ///
    /// Annex's own evaluator compares the filter with the policy before this function returns the filter.
    ///
    /// - Parameter reporting: the calls that the filter refers to its listener.
    /// - Throws: an error if libseccomp cannot express the policy, or if filter and policy differ.
    public func filter(reporting: FilterReports = .denials) throws(PolicyError) -> SeccompFilter {
        if reporting == .denials, let filter = book.filter { return filter }
        let key = FilterKey(architecture: architecture, reporting: reporting, rules: rules)
        if let known = FilterKey.compiled.withLock({ $0[key] }) { return known }
        let filter = try FilterCompiler(policy: self, reporting: reporting).compile()
        try check(filter, reporting: reporting)
        FilterKey.compiled.withLock { compiled in
            if compiled.count >= 64 { compiled.removeAll() }
            compiled[key] = filter
        }
        return filter
    }

    private func check(_ filter: SeccompFilter, reporting: FilterReports) throws(PolicyError) {
        let checker = FilterChecker(policy: self, filter: filter, reporting: reporting)
        guard let difference = checker.firstDifference(among: 0..<1024, architecture: architecture.audit) else {
            return
        }
        let call = SystemCall.describe(
            number: difference.call.number, arguments: difference.call.arguments, architecture: architecture)
        let rule = rules[difference.call.number]?.first
        throw PolicyError(
            "libseccomp cannot express these rules: \(call) would be \(difference.found.map { "\($0)" } ?? "no filter") "
                + "instead of \(difference.expected); state the opposite condition in the later of two rules",
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
/// Calls that the launch itself needs are never referred, because no listener can answer during the launch.
public enum FilterReports: Sendable, Hashable, CaseIterable {
    /// Calls that the policy denies with a report, calls that end the process, and calls that are allowed within
    /// bounds.
    case denials
    /// The calls of `denials`, and every allowed call that can name a path. So a report can explain refused paths.
    case paths
    /// The calls of `paths`, and every other allowed call.
    case everything

    /// Whether the filter refers a call that the policy allows.
    func includesAllowed(_ call: SystemCall) -> Bool {
        switch self {
        case .denials: false
        case .paths: call.takesPaths
        case .everything: true
        }
    }
}

/// Compiles a policy's rules into a filter with libseccomp.
struct FilterCompiler {
    let policy: Policy
    let reporting: FilterReports

    /// - Throws: an error if libseccomp cannot express the policy exactly. The compiler never makes a filter that
    ///   differs from the policy.
    func compile() throws(PolicyError) -> SeccompFilter {
        let context = try FilterContext.make(for: policy.architecture)
        for name in LaunchCalls.names.sorted() {
            guard let call = SystemCall(named: name, architecture: policy.architecture) else { continue }
            try context.add(.allow, to: call, if: [], at: nil)
        }
        try allowExec(in: context)
        for (number, rules) in policy.rules.sorted(by: { $0.key < $1.key }) {
            guard let call = SystemCall(number: number, architecture: policy.architecture) else { continue }
            for rule in rules { try add(rule, for: call, to: context) }
        }
        return try SeccompFilter(
            program: FilterInstruction.program(try context.export()), architecture: policy.architecture,
            allowsEveryExec: policy.allowsEveryExec)
    }

    private func allowExec(in context: borrowing FilterContext) throws(PolicyError) {
        guard let exec = SystemCall(named: LaunchCalls.exec, architecture: policy.architecture) else { return }
        let parts = [
            CallRule.Part(index: 4, comparison: .masked(mask: .max, value: LaunchCalls.execFlags)),
            CallRule.Part(index: 5, comparison: .masked(mask: .max, value: LaunchCalls.sentinel)),
        ]
        try context.add(.allow, to: exec, if: parts, at: nil)
    }

    /// Adds a rule. Calls that the broker must see get no rule, because the filter's default action notifies the
    /// broker.
    private func add(
        _ rule: CallRule, for call: SystemCall, to context: borrowing FilterContext
    ) throws(PolicyError) {
        try rule.checkWords(of: call)
        let action: FilterContext.Action
        switch rule.answer {
        case .allow where rule.bound != nil || reporting.includesAllowed(call): return
        case .allow: action = .allow
        case .deny(let errno, reported: false): action = .deny(errno: errno)
        case .deny(_, reported: true), .end, .aborting: return
        }
        for parts in rule.combinations { try context.add(action, to: call, if: parts, at: rule.place) }
    }
}

extension Policy {
    /// Whether a rule allows `execveat`. The policy's reader accepts such a rule only without conditions.
    var allowsEveryExec: Bool {
        SystemCall(named: LaunchCalls.exec, architecture: architecture)
            .map { rules[$0.number]?.contains { $0.answer == .allow } ?? false } ?? false
    }
}

extension SeccompFilter {
    /// The name and version of the library that compiles filters. Another version may compile the same policy to other
    /// instructions.
    package static var compiler: String {
        // SAFETY: the pointer points at a constant of libseccomp.
        guard let version = unsafe seccomp_version()?.pointee else { return "no libseccomp" }
        return "libseccomp \(version.major).\(version.minor).\(version.micro) on \(Architecture.current)"
    }
}
