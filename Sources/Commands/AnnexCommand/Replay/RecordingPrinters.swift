import AnnexChannel
import AnnexLinux
import AnnexReplay
import FoundationEssentials

/// Prints a recording as lines for a terminal. The recording is not trusted.
struct RecordingText {
    private static let mostShown = 32

    private let recording: RecordingContents

    init(_ recording: RecordingContents) {
        self.recording = recording
    }

    func lines(style: Style) -> [String] {
        let label = recording.label.isEmpty ? "a channel without a label" : Escaped(recording.label).description
        let rings = "\(recording.hostCapacity) and \(recording.extensionCapacity) bytes"
        let head = style.bold(label) + style.faint("  wire \(recording.wireVersion), rings of \(rings)")
        return [head] + recording.frames.enumerated().map { line($0 + 1, frame: $1) } + [
            style.faint(Self.ending(recording))
        ]
    }

    /// How the recording ends, in words.
    static func ending(_ recording: RecordingContents) -> String {
        switch recording.ending {
        case .said(.channelEnded, let text, let time):
            "the channel ended after \(Self.moment(time)): \(Escaped(text))"
        case .said(.fileFull, let text, let time): "the recording stopped after \(Self.moment(time)): \(Escaped(text))"
        case .cut(0): "the recording has no end: its host was killed, or is still recording"
        case .cut(let bytes): "cut off: the last \(bytes) bytes are an incomplete message"
        case .damaged(let place): "damaged: at byte \(place) are bytes that no recorder writes"
        }
    }

    /// A frame as one line: `   12  0.001234 s  → request 3 (method 7)  64 B  0102…`
    private func line(_ number: Int, frame: RecordedFrame) -> String {
        let arrow = frame.direction == .toExtension ? "→" : "←"
        var line =
            "\(String(number).aligned(to: 6))  \(Self.moment(frame.time).aligned(to: 12))  \(arrow) \(frame.subject)"
        line += "  \(frame.length) B"
        if !frame.pieces.isEmpty {
            line += "  + \(frame.pieces.map { "\($0.size) B" }.joined(separator: ", ")) handed over"
        }
        if !frame.payload.isEmpty { line += "  \(Self.shown(frame))" }
        return line
    }

    private static func shown(_ frame: RecordedFrame) -> String {
        let start = frame.payload.prefix(mostShown)
        let isText = !start.isEmpty && start.allSatisfy { (0x20...0x7E).contains($0) }
        let text = isText ? Escaped(quoting: start).description : start.map(Self.hex).joined()
        return frame.payload.count > mostShown ? text + "…" : text
    }

    static func hex(_ byte: UInt8) -> String {
        byte < 16 ? "0" + String(byte, radix: 16) : String(byte, radix: 16)
    }

    private static func moment(_ nanoseconds: UInt64) -> String {
        let micro = String(nanoseconds / 1000 % 1_000_000)
        return "\(nanoseconds / 1_000_000_000).\(String(repeating: "0", count: 6 - micro.count))\(micro) s"
    }
}

/// Prints a recording as JSON. Times are in microseconds, sizes in bytes, and payloads in hexadecimal.
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

    private let recording: RecordingContents

    init(_ recording: RecordingContents) {
        self.recording = recording
    }

    var text: String {
        get throws { try EncodedJSON.text(whole) }
    }

    private var whole: Whole {
        var isWhole = false
        if case .said(.channelEnded, _, _) = recording.ending { isWhole = true }
        return Whole(
            label: recording.label, beganNanoseconds: recording.began, wireVersion: recording.wireVersion,
            hostCapacity: recording.hostCapacity, extensionCapacity: recording.extensionCapacity,
            messages: recording.frames.enumerated().map { entry($0 + 1, frame: $1) },
            ending: RecordingText.ending(recording), isWhole: isWhole)
    }

    private func entry(_ number: Int, frame: RecordedFrame) -> Entry {
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
