package import AnnexBrokerAPI
package import AnnexModel

/// The end of one extension with everything that a report needs: who it was, how it began, and why it is gone.
package struct EndedExtension: Sendable {
    /// The extension's bundle identifier.
    package let identifier: String
    /// The policy that it ran under.
    package let policy: String
    /// From the request to run it to its end, on a clock that stands still while the machine is suspended.
    package let lifetime: Duration
    /// How long it waited for a place among those that run at once.
    package let waited: Duration
    /// How its launch went, as far as it came; nil where its own code never ran.
    package let launch: LaunchReport?
    /// Every limit of its policy, and who held it.
    package let limits: [LaunchReport.Limit]
    /// What the host was told.
    package let termination: Termination
}
