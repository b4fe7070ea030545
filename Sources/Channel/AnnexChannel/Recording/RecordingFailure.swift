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
