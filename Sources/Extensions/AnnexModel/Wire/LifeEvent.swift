internal import AnnexChannel

/// The events by which host and extension tell each other of an extension's life. All other numbers are their users'.
package enum LifeEvent {
    /// Host to extension: its work is over.
    package static let goodbye = ChannelEvent.goodbye
    /// Host to extension: most of its memory is used up.
    package static let memoryWarning: UInt16 = 0xFFF0
    /// Host to extension: most of its grace is over.
    package static let endIsNear: UInt16 = 0xFFF1
    /// Extension to host: it began something that it would like to end before it is ended.
    package static let activityBegan: UInt16 = 0xFFF2
    /// Extension to host: it has ended that.
    package static let activityEnded: UInt16 = 0xFFF3
}
