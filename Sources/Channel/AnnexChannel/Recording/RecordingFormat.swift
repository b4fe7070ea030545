/// The numbers of a recording's file; `Docs/Guide/Recordings.md` says the same in words.
enum RecordingFormat {
    static let mark: [UInt8] = Array("ANNEXREC".utf8)
    static let version: UInt32 = 1
    /// Bytes of a label at most.
    static let longestLabel: UInt32 = 255
    /// What stands in every record behind its length.
    static let recordHead: UInt32 = 12
    /// Bytes of a message or of what was handed over that one record keeps at most.
    static let mostKept: UInt32 = 1 << 30
    /// The room that is kept for the record that says why there are no more.
    static let roomForEnd: UInt64 = 256

    enum RecordType: UInt8 {
        case frame = 1
        case piece = 2
        case end = 3
    }
}
