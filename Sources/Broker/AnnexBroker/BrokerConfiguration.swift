package import AnnexBrokerAPI
package import AnnexPolicy

/// A host's settings for its broker; they override the policies.
package struct BrokerConfiguration: Sendable {
    /// How many extensions may run at once under one policy; nil for the policy's own number.
    package var instances: Int?
    /// The shortest limit for a launch, a request and the watchdog. Shorter limits of a policy are raised to it.
    package var patience = Duration.zero
    /// Whether an extension that fails again and again must pause before its next launch.
    package var holdsBack = true
    /// Where reports on ends are kept.
    package var reports = ReportPlace.nowhere
    /// The limits for all extensions together; nil if only the policies limit them.
    package var share: BrokerShare?
    /// The user whose broker this is, for the log of a program that has several; nil otherwise.
    package var user: String?
    /// Changes the limits of every policy, after all other settings.
    package var adjust: @Sendable (inout PolicyLimits) -> Void = { _ in }

    package init() {}

    func apply(to limits: inout PolicyLimits) {
        limits.loosen(time: patience)
        if let instances { limits.instances = max(1, instances) }
        adjust(&limits)
    }
}
