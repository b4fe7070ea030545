@testable import AnnexReplay

/// The file of a recording. For any bytes, the reader returns a recording or a failure. A recording that was read is
/// consistent.
enum FuzzRecording {
    static func main() {
        Fuzzer.run { start, count in
            let bytes = Fuzzer.bytes(start, count)
            guard let recording = try? RecordingContents(reading: bytes) else { return 0 }
            for frame in recording.frames {
                Fuzzer.expect(frame.payload.count <= Int(frame.length), "more payload than a frame had")
                Fuzzer.expect(frame.pieces.count <= Int(frame.descriptors), "more pieces than a frame had")
                _ = frame.subject
            }
            _ = try? ChannelReplay(recording)
            return 0
        }
    }
}
