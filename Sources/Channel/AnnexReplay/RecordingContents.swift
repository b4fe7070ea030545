package import AnnexChannel
internal import AnnexMessages

/// A recording of a channel's traffic, as it was read from its file.
package struct RecordingContents: Sendable, Hashable {
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
        /// The file has no end record. The last `bytes` bytes of the file are an incomplete record. The host was
        /// killed, is still writing, or could not write.
        case cut(bytes: Int)
        /// A malformed record begins at this byte. The records before this byte are complete.
        case damaged(at: Int)

        package typealias Cause = RecordingFormat.EndCause
    }
}

/// One message that went through a recorded channel.
package struct RecordedFrame: Sendable, Hashable {
    package typealias Direction = RecordingFormat.Direction

    /// Nanoseconds since the recording began.
    package var time: UInt64
    package var direction: Direction
    /// The number of a `FrameKind`. A newer recorder may write unknown numbers.
    package var kind: UInt8
    package var method: UInt16
    package var call: UInt64
    /// How many descriptors were sent before the message.
    package var descriptors: UInt8
    /// The limits that a request states for its answer (`RequestTerms`); the default limits for other kinds of
    /// messages.
    package var limit: UInt64
    package var mostBytes: UInt64
    package var mostPieces: UInt64
    /// The payload's full length in bytes.
    package var length: UInt32
    /// The first bytes of the payload. The recorder may have dropped the rest.
    package var payload: [UInt8]
    /// The files and memory that were handed over with the message.
    package var pieces: [Piece] = []

    package struct Piece: Sendable, Hashable {
        /// The full size in bytes.
        package var size: UInt64
        /// The first bytes. The recorder may have dropped the rest.
        package var contents: [UInt8]

        package var isWhole: Bool { UInt64(clamping: contents.count) == size }
    }

    package var isWhole: Bool { payload.count == Int(truncatingIfNeeded: length) }

    /// The name of the kind.
    package var kindName: String {
        FrameKind(rawValue: kind).map { "\($0)" } ?? "kind \(kind)"
    }
}

/// Why a file is not a readable recording.
package enum RecordingFailure: Error, Sendable, Hashable, CustomStringConvertible {
    case notARecording
    case version(UInt32)
    /// The file ends before the end of its header.
    case headerCut
    case malformedHeader

    package var description: String {
        switch self {
        case .notARecording: "the file is no recording: it does not begin with ANNEXREC"
        case .version(let version):
            "the recording has version \(version), but this program reads version \(RecordingFormat.version)"
        case .headerCut: "the file ends inside the recording's header"
        case .malformedHeader: "the recording's header is malformed"
        }
    }
}

extension RecordingContents {
    /// Reads a whole file, which is untrusted input, up to the first record that is incomplete or malformed.
    package init(reading bytes: [UInt8]) throws(RecordingFailure) {
        var reader = RecordingReader()
        try reader.read(bytes)
        self = reader.recording
    }
}

private struct RecordingReader {
    /// The key of a frame with which descriptors were handed over.
    private struct Holder: Hashable {
        let direction: RecordedFrame.Direction
        let call: UInt64
    }

    var recording = RecordingContents()
    /// For each call, the index of the last frame with which descriptors were handed over. Other frames may come
    /// between this frame and its pieces.
    private var holders: [Holder: Int] = [:]

    mutating func read(_ bytes: [UInt8]) throws(RecordingFailure) {
        var cursor = unsafe ByteCursor(bytes.span.bytes)
        try readHeader(&cursor)
        while cursor.left > 0 {
            let start = cursor.position
            guard let length = cursor.read(UInt32.self), let place = cursor.read(count: length) else {
                recording.ending = .cut(bytes: bytes.count &- start)
                return
            }
            // No record may follow the end record.
            guard let isLast = readRecord(cursor.over(place)), !isLast || cursor.left == 0 else {
                recording.ending = .damaged(at: start)
                return
            }
            if isLast { return }
        }
        recording.ending = .cut(bytes: 0)
    }

    private mutating func readHeader(_ cursor: inout ByteCursor) throws(RecordingFailure) {
        guard let mark = cursor.read(count: 8), cursor.over(mark).copy() == RecordingFormat.mark else {
            throw .notARecording
        }
        guard let version = cursor.read(UInt32.self) else { throw .headerCut }
        guard version == RecordingFormat.version else { throw .version(version) }
        guard let wire = cursor.read(UInt32.self), let began = cursor.read(UInt64.self),
            let host = cursor.read(UInt32.self), let extensionCapacity = cursor.read(UInt32.self),
            let payload = cursor.read(UInt32.self), let handedOver = cursor.read(UInt32.self),
            let length = cursor.read(UInt32.self)
        else { throw .headerCut }
        guard length <= RecordingFormat.longestLabel else { throw .malformedHeader }
        guard let place = cursor.read(count: length) else { throw .headerCut }
        guard let label = cursor.over(place).text() else { throw .malformedHeader }
        recording = RecordingContents(
            began: began, wireVersion: wire, hostCapacity: host, extensionCapacity: extensionCapacity,
            mostPayloadBytes: payload, mostHandedOverBytes: handedOver, label: label)
    }

    /// - Returns: whether the record is the last record; nil if the record is malformed.
    private mutating func readRecord(_ record: ByteCursor) -> Bool? {
        var cursor = record
        guard let type = cursor.read(UInt8.self).flatMap(RecordingFormat.RecordType.init(rawValue:)),
            let direction = cursor.read(UInt8.self).flatMap(RecordedFrame.Direction.init(rawValue:)),
            cursor.read(UInt16.self) == 0, let time = cursor.read(UInt64.self)
        else { return nil }
        switch type {
        case .frame: return readFrame(&cursor, direction: direction, time: time) ? false : nil
        case .piece: return readPiece(&cursor, direction: direction) ? false : nil
        case .end:
            guard let cause = cursor.read(UInt32.self).flatMap(RecordingContents.Ending.Cause.init(rawValue:)),
                let text = cursor.text()
            else { return nil }
            recording.ending = .said(cause, text: text, time: time)
            return true
        }
    }

    private mutating func readFrame(
        _ cursor: inout ByteCursor, direction: RecordedFrame.Direction, time: UInt64
    ) -> Bool {
        guard let kind = cursor.read(UInt8.self), let descriptors = cursor.read(UInt8.self),
            let method = cursor.read(UInt16.self), let length = cursor.read(UInt32.self),
            let call = cursor.read(UInt64.self), let limit = cursor.read(UInt64.self),
            let mostBytes = cursor.read(UInt64.self), let mostPieces = cursor.read(UInt64.self),
            UInt64(clamping: cursor.left) == min(length, recording.mostPayloadBytes)
        else { return false }
        if descriptors > 0 {
            holders.updateValue(recording.frames.count, forKey: Holder(direction: direction, call: call))
        }
        recording.frames.append(
            RecordedFrame(
                time: time, direction: direction, kind: kind, method: method, call: call, descriptors: descriptors,
                limit: limit, mostBytes: mostBytes, mostPieces: mostPieces, length: length, payload: cursor.copy()))
        return true
    }

    private mutating func readPiece(_ cursor: inout ByteCursor, direction: RecordedFrame.Direction) -> Bool {
        guard let call = cursor.read(UInt64.self), let size = cursor.read(UInt64.self),
            UInt64(clamping: cursor.left) <= min(size, UInt64(clamping: recording.mostHandedOverBytes)),
            let frame = holders.value(of: Holder(direction: direction, call: call))
        else { return false }
        let piece = RecordedFrame.Piece(size: size, contents: cursor.copy())
        return recording.frames.change(at: frame) { frame in
            guard frame.pieces.count < Int(truncatingIfNeeded: frame.descriptors) else { return false }
            frame.pieces.append(piece)
            return true
        }
    }
}
