package import AnnexChannel

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

        package typealias Cause = RecordingFormat.EndCause
    }
}

/// One message as it went through a recorded channel.
package struct RecordedFrame: Sendable, Hashable {
    package typealias Direction = RecordingFormat.Direction

    /// Nanoseconds since the recording began.
    package var time: UInt64
    package var direction: Direction
    /// `FrameKind`'s number; a newer recorder may know more of them.
    package var kind: UInt8
    package var method: UInt16
    package var call: UInt64
    /// How many descriptors went ahead of it.
    package var descriptors: UInt8
    /// A request's terms; of other kinds the empty ones.
    package var limit: UInt64
    package var mostBytes: UInt64
    package var mostPieces: UInt64
    /// How many bytes the payload had.
    package var length: UInt32
    /// Of these the first, as many as were kept.
    package var payload: [UInt8]
    /// What was handed over with it.
    package var pieces: [Piece] = []

    package struct Piece: Sendable, Hashable {
        /// Bytes.
        package var size: UInt64
        /// Of these the first, as many as were kept.
        package var contents: [UInt8]

        package var isWhole: Bool { UInt64(contents.count) == size }
    }

    package var isWhole: Bool { payload.count == Int(length) }

    /// The kind's word.
    package var kindName: String {
        FrameKind(rawValue: kind).map { "\($0)" } ?? "kind \(kind)"
    }
}

/// Why bytes are no recording at all.
package enum RecordingFailure: Error, Sendable, Hashable, CustomStringConvertible {
    case notARecording
    case version(UInt32)
    /// The file ends before its header does.
    case headerCut
    case malformedHeader

    package var description: String {
        switch self {
        case .notARecording: "not a recording: it does not begin with ANNEXREC"
        case .version(let version):
            "a recording of version \(version), where this program reads version \(RecordingFormat.version)"
        case .headerCut: "the recording is cut off inside its header"
        case .malformedHeader: "the recording's header makes no sense"
        }
    }
}
