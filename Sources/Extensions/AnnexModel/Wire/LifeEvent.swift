internal import AnnexChannel

/// The events about an extension's life, which the host and the extension exchange. Annex reserves all event numbers
/// from `ReservedMethods.first` on.
package enum LifeEvent {
    /// Host to extension: the extension's work is over.
    package static let goodbye = ChannelEvent.goodbye
    /// Host to extension: most of the extension's memory limit is used up.
    package static let memoryWarning = ChannelEvent.memoryWarning
    /// Host to extension: most of the extension's grace is over.
    package static let endIsNear = ChannelEvent.endIsNear
    /// Extension to host: the extension began an activity that it wants to finish before its end.
    package static let activityBegan: UInt16 = 0xFFF2
    /// Extension to host: the activity has ended.
    package static let activityEnded: UInt16 = 0xFFF3
}
