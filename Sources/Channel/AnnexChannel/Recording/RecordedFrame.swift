/// One message as it went through a recorded channel.
package struct RecordedFrame: Sendable, Hashable {
    package enum Direction: UInt8, Sendable, Hashable {
        case toExtension = 0
        case toHost = 1
    }

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
