/// One technique of the catalogue: an attack by a hostile program, and the way in which it is tried.
package struct Attack: Sendable {
    package enum Trial: Sendable {
        /// Each try is made by one program in its own sandbox.
        case tries([Try])
        /// The technique needs a hostile peer, client or bundle. The named tests perform it. Each name has the form
        /// `target/file: part of the test's name`.
        case drivenBy([String])
        /// The reason why Annex cannot be attacked in this way.
        case notApplicable(String)
    }

    /// The stable identifier, for example `FS-01`.
    package let id: String
    package let technique: String
    package let trial: Trial
    /// Whether the developers of Annex found the technique themselves.
    package let isAddition: Bool

    /// Whether the attack uses up what the kernel counts for all programs of a user together. If two such attacks run at
    /// once, each also meets what the other holds.
    package var usesUpSharedCounts: Bool {
        guard case .tries(let tries) = trial else { return false }
        return tries.contains { $0.measure?.neighbour != nil }
    }

    init(_ id: String, technique: String, addition: Bool = false, trial: Trial) {
        self.id = id
        self.technique = technique
        self.trial = trial
        isAddition = addition
    }

    init(_ id: String, technique: String, addition: Bool = false, _ tries: Try...) {
        self.init(id, technique: technique, addition: addition, trial: .tries(tries))
    }

    /// A technique that the named tests perform.
    static func driven(_ id: String, technique: String, by tests: String...) -> Attack {
        Attack(id, technique: technique, trial: .drivenBy(tests))
    }

    package var tries: [Try] { if case .tries(let tries) = trial { tries } else { [] } }
    package var section: String { String(id.prefix { $0 != "-" }) }
}
