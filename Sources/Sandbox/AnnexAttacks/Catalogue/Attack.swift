/// One technique of the catalogue: what a hostile program tries, and how it is tried here.
package struct Attack: Sendable {
    package enum Trial: Sendable {
        /// What a lone program can try, each in a sandbox of its own.
        case tries([Try])
        /// What needs a hostile peer, client or bundle: the tests that are one. `target/file: part of the test's name`.
        case drivenBy([String])
        /// Why nothing of it exists here.
        case notApplicable(String)
    }

    /// For example `FS-01`; stable.
    package let id: String
    package let technique: String
    package let trial: Trial
    /// Whether the technique is Annex's own finding.
    package let isAddition: Bool

    init(_ id: String, _ technique: String, addition: Bool = false, _ trial: Trial) {
        self.id = id
        self.technique = technique
        self.trial = trial
        isAddition = addition
    }

    init(_ id: String, _ technique: String, addition: Bool = false, _ tries: Try...) {
        self.init(id, technique, addition: addition, .tries(tries))
    }

    package var tries: [Try] { if case .tries(let tries) = trial { tries } else { [] } }
    package var section: String { String(id.prefix { $0 != "-" }) }
}
