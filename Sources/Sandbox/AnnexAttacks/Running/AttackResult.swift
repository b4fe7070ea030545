/// What came of one attack: of each of its tries, and of all together.
package struct AttackResult: Sendable {
    package struct Tried: Sendable {
        package let name: String
        package let verdict: TryVerdict
        /// What the kernel or Annex answered, for people; escaped.
        package let detail: String
        /// What the kernel held for it, where that was measured.
        package let measured: Measured?
    }

    package let attack: Attack
    package let verdict: TryVerdict
    package let tries: [Tried]

    init(_ attack: Attack, tries: [Tried]) {
        self.attack = attack
        self.tries = tries
        verdict = Self.joined(attack, tries.map(\.verdict))
    }

    /// One try that got through is enough; of the others the first that says anything.
    private static func joined(_ attack: Attack, _ verdicts: [TryVerdict]) -> TryVerdict {
        switch attack.trial {
        case .drivenBy(let tests): return .drivenBy(tests)
        case .notApplicable(let reason): return .notApplicable(reason)
        case .tries: break
        }
        if verdicts.contains(.gotThrough) { return .gotThrough }
        if let allowed = verdicts.first(where: { if case .allowed = $0 { true } else { false } }) { return allowed }
        let stopped = verdicts.compactMap { if case .stopped(let by) = $0 { by } else { nil } }
        guard !stopped.isEmpty else { return verdicts.first ?? .notApplicable("nothing to try") }
        var layers: [String] = []
        for layer in stopped.joined() where !layers.contains(layer) { layers.append(layer) }
        return .stopped(by: layers)
    }

    /// What to say of it in a line.
    package var detail: String {
        let telling = tries.first { $0.verdict == verdict } ?? tries.first
        return telling.map { $0.detail.isEmpty ? $0.name : "\($0.name): \($0.detail)" } ?? ""
    }
}
