/// The result of one attack: the results of its tries, and the result of all tries together.
package struct AttackResult: Sendable {
    package struct Tried: Sendable {
        package let name: String
        package let verdict: TryVerdict
        /// The answer of the kernel or of Annex, escaped, as text for people.
        package let detail: String
        /// The kernel's counts for the program; nil if they were not measured.
        package let measured: Measured?
    }

    package let attack: Attack
    package let verdict: TryVerdict
    package let tries: [Tried]

    init(_ attack: Attack, tries: [Tried]) {
        self.attack = attack
        self.tries = tries
        verdict = Self.joined(attack, verdicts: tries.map(\.verdict))
    }

    /// The verdict of all tries. If a try got through, the verdict is `gotThrough`. If no try got through but the
    /// policy allows a try, the verdict is `allowed`. Otherwise the verdict joins the layers of all stopped tries.
    private static func joined(_ attack: Attack, verdicts: [TryVerdict]) -> TryVerdict {
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

    /// The deciding try and its answer, in one line.
    package var detail: String {
        let telling = tries.first { $0.verdict == verdict } ?? tries.first
        return telling.map { $0.detail.isEmpty ? $0.name : "\($0.name): \($0.detail)" } ?? ""
    }
}
