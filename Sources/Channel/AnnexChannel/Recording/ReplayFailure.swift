/// Why a recording cannot be replayed. Numbers of messages count from 1.
package enum ReplayFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// Streams are shown, not replayed: their chunks and credits follow the time that both sides take.
    case hasStreams(message: Int)
    /// Not everything that the host said was kept.
    case payloadCut(message: Int, length: UInt32)
    case contentsNotKept(message: Int, bytes: UInt64)
    /// What a recorded message hands over cannot be made anew.
    case system(String)

    package var description: String {
        switch self {
        case .hasStreams(let message): "message \(message) belongs to a stream, and streams are not replayed"
        case .payloadCut(let message, let length):
            "message \(message) has \(length) bytes of which not all were kept; record with a larger mostPayloadBytes"
        case .contentsNotKept(let message, let bytes):
            "message \(message) hands over \(bytes) bytes of which not all were kept; record with a larger "
                + "mostHandedOverBytes"
        case .system(let what): what
        }
    }
}
