internal import AnnexPolicy

/// The calls of a recording as rules. Conditions cover only the arguments that choose a call's effect.
struct ProposedCalls: Sendable {
    /// One rule for each proposed call, by the call's name.
    private(set) var rules: [String: CallRule] = [:]
    /// Calls that are refused with ENOSYS. The C library then uses an older call with arguments that a filter can see.
    private(set) var fallbacks: Set<String> = []
    /// The calls and arguments that are not proposed, each with the reason.
    private(set) var withheld: [String: String] = [:]

    private let architecture: Architecture
    private static let place = PolicyPlace(file: "recording", line: 0, column: 0)

    init(_ recording: Recording) {
        architecture = recording.architecture
        let byNumber = Dictionary(grouping: recording.calls.keys, by: \.number)
        for (number, calls) in byNumber.sorted(by: { $0.key < $1.key }) {
            guard let call = SystemCall(number: number, architecture: architecture) else {
                withheld["call \(number)"] = "is in no kernel known to Annex"
                continue
            }
            add(call, recorded: calls)
        }
        if fallbacks.contains("clone3") { allowThreads() }
        if fallbacks.contains("openat2") { rules["openat"] = rule("openat", conditions: []) }
        // If the rules allow mapping files as code, `memfd_create` is possible only with `write-xor-execute: off`. So
        // `memfd_create` is not proposed.
        if WriteXorExecute.filesCanExecute([0: Array(rules.values)]), rules.removeValue(forKey: "memfd_create") != nil {
            withheld["memfd_create"] = "makes memory that can be mapped as code; most programs do not need it"
        }
    }

    private mutating func add(_ call: SystemCall, recorded: [Recording.Call]) {
        if LaunchCalls.names.contains(call.name) || call.name == LaunchCalls.exec { return }
        if ["clone3", "openat2"].contains(call.name) {
            fallbacks.insert(call.name)
            return
        }
        if let danger = DangerousCalls.all.first(where: { $0.call == call.name && !$0.isOnlyUnconditional }) {
            withheld[call.name] = danger.why
            return
        }
        let conditions = conditions(call, recorded: recorded)
        if let danger = DangerousCalls.all.first(where: { $0.call == call.name }), conditions?.isEmpty ?? false {
            withheld[call.name] = danger.why
        } else if let conditions {
            rules[call.name] = rule(call.name, conditions: conditions)
        }
    }

    private func rule(_ name: String, conditions: [CallCondition]) -> CallRule {
        CallRule(call: name, conditions: conditions, answer: .allow, reason: "", place: Self.place)
    }

    /// Allows `clone`, the older call for threads and processes, but without `CLONE_PTRACE` and the flags that make a
    /// namespace.
    private mutating func allowThreads() {
        guard let clone = SystemCall(named: "clone", architecture: architecture),
            let kind = clone.arguments?.first?.kind
        else { return }
        let barred = kind.constants.filter { $0.name.hasPrefix("CLONE_NEW") || $0.name == "CLONE_PTRACE" }
        let mask = barred.reduce(Self.together(kind)) { $0 | $1.value }
        let alternatives = [0, Self.together(kind)].map { Comparison.masked(mask: mask, value: $0) }
        rules["clone"] = rule("clone", conditions: [CallCondition(index: 0, alternatives: alternatives)])
    }
}

extension ProposedCalls {
    /// Conditions that allow the recorded values of each argument that chooses the call's effect. Nil if one of these
    /// arguments has no value that may be proposed.
    private mutating func conditions(_ call: SystemCall, recorded: [Recording.Call]) -> [CallCondition]? {
        var conditions: [CallCondition] = []
        for (index, argument) in (call.arguments ?? []).enumerated() {
            // An argument gets a condition only if every recorded call has a value for it.
            let values = recorded.compactMap { $0.arguments[index] }
            guard values.count == recorded.count, !values.isEmpty else { continue }
            let safe = values.filter { !isDangerous($0, call: call, argument: argument) }
            if safe.count < values.count {
                withheld["\(call.name) \(argument.name)"] = "had values that allow more than a program needs"
            }
            guard !safe.isEmpty else { return nil }
            conditions.append(
                CallCondition(index: index, alternatives: Self.comparisons(Set(safe), kind: argument.kind)))
        }
        return conditions
    }

    private func isDangerous(_ value: UInt64, call: SystemCall, argument: SystemCall.Argument) -> Bool {
        DangerousCalls.arguments.contains { danger in
            guard danger.call == call.name, danger.argument == argument.name, danger.bound == nil else { return false }
            let values = danger.values.compactMap { argument.kind.value(named: $0) }
            if case .flags(let choice) = argument.kind.style {
                return values.contains { $0 & ~choice != 0 && value & $0 == $0 }
            }
            return values.contains(value)
        }
    }

    /// The flags of `clone` that decide whether descriptors are shared. Each recorded combination of these flags is
    /// allowed separately. Annex can count file locks only if threads share descriptors and new processes share none.
    private static func together(_ kind: ArgumentKind) -> UInt64 {
        ["CLONE_FILES", "CLONE_THREAD"].reduce(0) { $0 | (kind.name == "clone" ? kind.value(named: $1) ?? 0 : 0) }
    }

    private static func comparisons(_ values: Set<UInt64>, kind: ArgumentKind) -> [Comparison] {
        guard case .flags(let bits) = kind.style else {
            return values.sorted().map { .masked(mask: kind.mask, value: $0 & kind.mask) }
        }
        let choice = bits | together(kind)
        let flags = values.reduce(0) { $0 | $1 & ~choice }
        let choices = Set(values.map { $0 & choice }).sorted()
        return choices.map { .masked(mask: kind.mask & ~flags, value: $0) }
    }
}
