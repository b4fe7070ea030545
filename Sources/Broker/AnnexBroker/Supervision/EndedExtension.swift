package import AnnexBrokerAPI
package import AnnexModel

/// The end of one extension with everything that a report needs: its identity, its launch and the cause of its end.
package struct EndedExtension: Sendable {
    /// The extension's bundle identifier.
    package let identifier: String
    /// The policy that it ran under.
    package let policy: String
    /// The time from the request to launch it to its end, on a clock that stops while the machine is suspended.
    package let lifetime: Duration
    /// How long the launch waited for an instance slot.
    package let waited: Duration
    /// The launch report, as far as the launch came; nil if the extension's own code never ran.
    package let launch: LaunchReport?
    /// Every limit of the policy, and the mechanism that held it.
    package let limits: [LaunchReport.Limit]
    /// The end as it is reported to the host.
    package let termination: Termination
}
