package import AnnexBrokerAPI
package import AnnexPolicy

/// What a host wants of its broker otherwise than the policies say.
package struct BrokerConfiguration: Sendable {
    /// How many may run at once under one policy; nil: as many as the policy says.
    package var instances: Int?
    /// No extension is ended by the clock alone before this, whatever its policy says.
    package var patience = Duration.zero
    /// Whether extensions that fail again and again have to pause before they start once more.
    package var holdsBack = true
    /// Where reports on ends are kept.
    package var reports = ReportPlace.nowhere
    /// What all extensions may have together; nil: no more is said of it than the policies say of each.
    package var share: BrokerShare?
    /// Whose broker it is, for the log of a program that has several.
    package var user: String?
    /// Changes the limits of every policy, last.
    package var adjust: @Sendable (inout PolicyLimits) -> Void = { _ in }

    package init() {}

    func apply(to limits: inout PolicyLimits) {
        limits.loosen(time: patience)
        if let instances { limits.instances = max(1, instances) }
        adjust(&limits)
    }
}
