package import AnnexModel

/// What a broker tells a host about an extension that it launched.
package enum ExtensionEvent: Sendable {
    /// The extension said hello within its launch limit.
    case ready(LaunchReport)
    /// The host asks it for a sign of life, and hands the answer to the handle.
    case ping
    /// Its memory runs out: the host tells it so, and it may let go of some.
    case memoryWarning
    /// Its work is over: the host tells it so, and it may tidy up until its grace ends.
    case goodbye
    /// Its grace runs out: the host tells it so, and it may end what it began.
    case endIsNear
    /// It is gone; the last event.
    case ended(Termination)
}
