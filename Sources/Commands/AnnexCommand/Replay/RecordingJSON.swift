import AnnexChannel
import AnnexReplay
import FoundationEssentials

/// Prints a recording as JSON: times in microseconds, sizes in bytes, payloads in hexadecimal.
struct RecordingJSON {
    private struct Whole: Encodable {
        let label: String
        let beganNanoseconds: UInt64
        let wireVersion: UInt32
        let hostCapacity: UInt32
        let extensionCapacity: UInt32
        let messages: [Entry]
        let ending: String
        let isWhole: Bool
    }

    private struct Entry: Encodable {
        let number: Int
        let microseconds: Double
        let to: String
        let kind: String
        let method: UInt16
        let call: UInt64
        let length: UInt32
        let payload: String
        let handedOver: [Piece]
    }

    private struct Piece: Encodable {
        let size: UInt64
        let contents: String
    }

    private let recording: Recording

    init(_ recording: Recording) {
        self.recording = recording
    }

    var text: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(whole), as: UTF8.self)
        }
    }

    private var whole: Whole {
        var isWhole = false
        if case .said(.channelEnded, _, _) = recording.ending { isWhole = true }
        return Whole(
            label: recording.label, beganNanoseconds: recording.began, wireVersion: recording.wireVersion,
            hostCapacity: recording.hostCapacity, extensionCapacity: recording.extensionCapacity,
            messages: recording.frames.enumerated().map { entry($0 + 1, $1) },
            ending: RecordingText.ending(recording), isWhole: isWhole)
    }

    private func entry(_ number: Int, _ frame: RecordedFrame) -> Entry {
        Entry(
            number: number, microseconds: Double(frame.time) / 1000,
            to: frame.direction == .toExtension ? "extension" : "host", kind: frame.kindName, method: frame.method,
            call: frame.call, length: frame.length, payload: Self.hex(frame.payload),
            handedOver: frame.pieces.map { Piece(size: $0.size, contents: Self.hex($0.contents)) })
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        bytes.map(RecordingText.hex).joined()
    }
}
