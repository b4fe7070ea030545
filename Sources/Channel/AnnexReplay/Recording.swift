package import AnnexChannel

/// A recording of a channel's traffic, as read from its file.
package struct Recording: Sendable, Hashable {
    /// When the recording began, in nanoseconds since 1970.
    package var began: UInt64 = 0
    package var wireVersion: UInt32 = 0
    package var hostCapacity: UInt32 = 0
    package var extensionCapacity: UInt32 = 0
    package var mostPayloadBytes: UInt32 = 0
    package var mostHandedOverBytes: UInt32 = 0
    /// The channel's name; a session uses the extension's bundle identifier.
    package var label = ""
    package var frames: [RecordedFrame] = []
    package var ending = Ending.cut(bytes: 0)

    /// How a recording ends.
    package enum Ending: Sendable, Hashable {
        case said(Cause, text: String, time: UInt64)
        /// The file has no end record; this many bytes at its end are an incomplete record. The host was killed, or is
        /// still writing.
        case cut(bytes: Int)
        /// A malformed record begins at this byte; the records before it are complete.
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
    /// The number of a `FrameKind`. A newer recorder may write unknown ones.
    package var kind: UInt8
    package var method: UInt16
    package var call: UInt64
    /// How many descriptors were sent ahead of it.
    package var descriptors: UInt8
    /// A request's terms; the default terms for other kinds.
    package var limit: UInt64
    package var mostBytes: UInt64
    package var mostPieces: UInt64
    /// The payload's full length in bytes.
    package var length: UInt32
    /// The first bytes of the payload, as many as were kept.
    package var payload: [UInt8]
    /// The files and memory that were handed over with it.
    package var pieces: [Piece] = []

    package struct Piece: Sendable, Hashable {
        /// The full size in bytes.
        package var size: UInt64
        /// The first bytes, as many as were kept.
        package var contents: [UInt8]

        package var isWhole: Bool { UInt64(contents.count) == size }
    }

    package var isWhole: Bool { payload.count == Int(length) }

    /// The name of the kind.
    package var kindName: String {
        FrameKind(rawValue: kind).map { "\($0)" } ?? "kind \(kind)"
    }
}

/// Why a file is not a readable recording.
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
