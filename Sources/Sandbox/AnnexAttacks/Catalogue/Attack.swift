/// One technique of the catalogue: an attack by a hostile program, and how it is tried.
package struct Attack: Sendable {
    package enum Trial: Sendable {
        /// Each try is made by one program in a sandbox of its own.
        case tries([Try])
        /// The technique needs a hostile peer, client or bundle. These tests perform it, each in the form `target/file:
        /// part of the test's name`.
        case drivenBy([String])
        /// The reason why Annex offers nothing to attack in this way.
        case notApplicable(String)
    }

    /// The stable identifier, for example `FS-01`.
    package let id: String
    package let technique: String
    package let trial: Trial
    /// Whether the technique is Annex's own finding.
    package let isAddition: Bool

    init(_ id: String, technique: String, addition: Bool = false, trial: Trial) {
        self.id = id
        self.technique = technique
        self.trial = trial
        isAddition = addition
    }

    init(_ id: String, technique: String, addition: Bool = false, _ tries: Try...) {
        self.init(id, technique: technique, addition: addition, trial: .tries(tries))
    }

    package var tries: [Try] { if case .tries(let tries) = trial { tries } else { [] } }
    package var section: String { String(id.prefix { $0 != "-" }) }
}
