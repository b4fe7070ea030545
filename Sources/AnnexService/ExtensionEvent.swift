package import AnnexModel

/// What a broker tells a host about an extension that it launched.
package enum ExtensionEvent: Sendable {
    /// The extension said hello within its launch limit.
    case ready(LaunchReport)
    /// Its work is over: the host tells it so, and it may tidy up until its grace ends.
    case goodbye
    /// It is gone; the last event.
    case ended(Termination)
}
