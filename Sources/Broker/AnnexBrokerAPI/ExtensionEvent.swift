package import AnnexModel

/// An event that a broker sends to a host about an extension that the host launched.
package enum ExtensionEvent: Sendable {
    /// The extension said hello within its launch limit.
    case ready(LaunchReport)
    /// The broker wants a sign of life: the host pings the extension, and passes its answer to the handle.
    case ping
    /// The extension is close to its memory limit. The host warns it, so that it can free some.
    case memoryWarning
    /// The session is over. The host tells the extension, which may tidy up until its grace ends.
    case goodbye
    /// The grace is about to end. The host warns the extension, so that it can finish its activities.
    case endIsNear
    /// The extension has ended. No event follows.
    case ended(Termination)
}
