package import AnnexModel

/// What a broker tells a host about an extension that it launched.
package enum LaunchEvent: Sendable {
    /// The extension said hello within its launch limit.
    case ready(LaunchReport)
    /// It is gone; the last event.
    case ended(Termination)
}
