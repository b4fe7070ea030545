internal import AnnexChannel

/// The events that host and extension exchange about an extension's life. All other numbers are free for applications.
package enum LifeEvent {
    /// Host to extension: the extension's work is over.
    package static let goodbye = ChannelEvent.goodbye
    /// Host to extension: most of the extension's memory limit is used up.
    package static let memoryWarning: UInt16 = 0xFFF0
    /// Host to extension: most of the extension's grace is over.
    package static let endIsNear: UInt16 = 0xFFF1
    /// Extension to host: the extension began an activity that it wants to finish before its end.
    package static let activityBegan: UInt16 = 0xFFF2
    /// Extension to host: the activity has ended.
    package static let activityEnded: UInt16 = 0xFFF3
}
