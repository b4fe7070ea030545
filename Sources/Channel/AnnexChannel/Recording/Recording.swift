/// A channel's traffic as a file kept it.
package struct Recording: Sendable, Hashable {
    /// Nanoseconds since 1970.
    package var began: UInt64 = 0
    package var wireVersion: UInt32 = 0
    package var hostCapacity: UInt32 = 0
    package var extensionCapacity: UInt32 = 0
    package var mostPayloadBytes: UInt32 = 0
    package var mostHandedOverBytes: UInt32 = 0
    /// Whose channel it was: an extension's bundle identifier, as a session says it.
    package var label = ""
    package var frames: [RecordedFrame] = []
    package var ending = Ending.cut(bytes: 0)

    /// How a recording ends.
    package enum Ending: Sendable, Hashable {
        case said(Cause, text: String, time: UInt64)
        /// In the middle: so many bytes at the end are no whole record. The host was killed, or is still at it.
        case cut(bytes: Int)
        /// At this byte something lies that no recorder writes; what is before it is whole.
        case damaged(at: Int)

        package enum Cause: UInt32, Sendable {
            case channelEnded = 0
            case fileFull = 1
        }
    }
}
