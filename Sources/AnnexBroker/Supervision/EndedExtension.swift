package import AnnexModel
package import AnnexService

/// The end of one extension with everything that a report needs: who it was, how it began, and why it is gone.
package struct EndedExtension: Sendable {
    /// The extension's bundle identifier.
    package let identifier: String
    /// The policy that it ran under.
    package let policy: String
    /// From the request to run it to its end, on a clock that stands still while the machine is suspended.
    package let lifetime: Duration
    /// How its launch went; nil where it was never ready.
    package let launch: LaunchReport?
    /// What the host was told.
    package let termination: Termination
}
