/// The calls of a recording as rules: conditions on the arguments that choose what a call does, no others.
struct ProposedCalls: Sendable {
    /// One rule for each call that is proposed, by name.
    private(set) var rules: [String: CallRule] = [:]
    /// Calls that are refused with ENOSYS, so that the C library takes an older one, which a filter can see through.
    private(set) var fallbacks: Set<String> = []
    /// What is not proposed, and why.
    private(set) var withheld: [String: String] = [:]

    private let architecture: Architecture
    private static let place = PolicyPlace(file: "recording", line: 0, column: 0)

    init(_ recording: Recording) {
        architecture = recording.architecture
        let byNumber = Dictionary(grouping: recording.calls.keys, by: \.number)
        for (number, calls) in byNumber.sorted(by: { $0.key < $1.key }) {
            guard let call = SystemCall(number: number, architecture: architecture) else {
                withheld["call \(number)"] = "no kernel known to Annex has it"
                continue
            }
            add(call, calls)
        }
        if fallbacks.contains("clone3") { allowThreads() }
        if fallbacks.contains("openat2") { rules["openat"] = rule("openat", []) }
        // Together they would need `write-xor-execute: off`.
        if WriteXorExecute.filesCanExecute([0: Array(rules.values)]), rules.removeValue(forKey: "memfd_create") != nil {
            withheld["memfd_create"] = "makes memory that can be mapped as code; most programs do without"
        }
    }

    private mutating func add(_ call: SystemCall, _ recorded: [Recording.Call]) {
        if LaunchCalls.names.contains(call.name) || call.name == LaunchCalls.exec { return }
        if ["clone3", "openat2"].contains(call.name) {
            fallbacks.insert(call.name)
            return
        }
        if let danger = DangerousCalls.all.first(where: { $0.call == call.name && !$0.isOnlyUnconditional }) {
            withheld[call.name] = danger.why
            return
        }
        let conditions = conditions(call, recorded)
        if let danger = DangerousCalls.all.first(where: { $0.call == call.name }), conditions?.isEmpty ?? false {
            withheld[call.name] = danger.why
        } else if let conditions {
            rules[call.name] = rule(call.name, conditions)
        }
    }

    private func rule(_ name: String, _ conditions: [CallCondition]) -> CallRule {
        CallRule(call: name, conditions: conditions, answer: .allow, reason: "", place: Self.place)
    }

    /// The old call for threads and processes, without anything that makes a namespace.
    private mutating func allowThreads() {
        guard let clone = SystemCall(named: "clone", architecture: architecture),
            let kind = clone.arguments?.first?.kind
        else { return }
        let barred = kind.constants.filter { $0.name.hasPrefix("CLONE_NEW") || $0.name == "CLONE_PTRACE" }
        let mask = barred.reduce(Self.together(kind)) { $0 | $1.value }
        let alternatives = [0, Self.together(kind)].map { Comparison.masked(mask: mask, value: $0) }
        rules["clone"] = rule("clone", [CallCondition(index: 0, alternatives: alternatives)])
    }
}

extension ProposedCalls {
    /// For each argument that chooses: what was seen. Nil where nothing of it may be proposed.
    private mutating func conditions(_ call: SystemCall, _ recorded: [Recording.Call]) -> [CallCondition]? {
        var conditions: [CallCondition] = []
        for (index, argument) in (call.arguments ?? []).enumerated() {
            // Only where every one of the recorded calls says it.
            let values = recorded.compactMap { $0.arguments[index] }
            guard values.count == recorded.count, !values.isEmpty else { continue }
            let safe = values.filter { !isDangerous($0, call, argument) }
            if safe.count < values.count {
                withheld["\(call.name) \(argument.name)"] = "some values that were seen open more than a program needs"
            }
            guard !safe.isEmpty else { return nil }
            conditions.append(CallCondition(index: index, alternatives: Self.comparisons(Set(safe), argument.kind)))
        }
        return conditions
    }

    private func isDangerous(_ value: UInt64, _ call: SystemCall, _ argument: SystemCall.Argument) -> Bool {
        DangerousCalls.arguments.contains { danger in
            guard danger.call == call.name, danger.argument == argument.name, danger.bound == nil else { return false }
            let values = danger.values.compactMap { argument.kind.value(named: $0) }
            if case .flags(let choice) = argument.kind.style {
                return values.contains { $0 & ~choice != 0 && value & $0 == $0 }
            }
            return values.contains(value)
        }
    }

    /// Flags of `clone` whose every combination is a choice of its own: by the descriptors that a thread shares with its
    /// process, and a process with none, locks are counted.
    private static func together(_ kind: ArgumentKind) -> UInt64 {
        ["CLONE_FILES", "CLONE_THREAD"].reduce(0) { $0 | (kind.name == "clone" ? kind.value(named: $1) ?? 0 : 0) }
    }

    private static func comparisons(_ values: Set<UInt64>, _ kind: ArgumentKind) -> [Comparison] {
        guard case .flags(let bits) = kind.style else {
            return values.sorted().map { .masked(mask: kind.mask, value: $0 & kind.mask) }
        }
        let choice = bits | together(kind)
        let flags = values.reduce(0) { $0 | $1 & ~choice }
        let choices = Set(values.map { $0 & choice }).sorted()
        return choices.map { .masked(mask: kind.mask & ~flags, value: $0) }
    }
}
