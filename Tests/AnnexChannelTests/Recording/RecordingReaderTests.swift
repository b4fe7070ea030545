import AnnexTestSupport
import Conducts
import Testing

@testable import AnnexChannel
@testable import AnnexReplay

/// The reader of a recording must handle any file. Any program may have written the file, or its writer may not have
/// finished it.
@Suite(.timeLimit(.minutes(20))) struct RecordingReaderTests {
    private static let sample: Result<[UInt8], any Error> = Result {
        let channel = try RecordedChannel()
        let ends = try channel.ends { $0.mostHandedOverBytes = 8 }
        let host = ends.host
        let thread = ExtensionThread(ends.descriptors) { endpoint in
            try endpoint.sayHello()
            try endpoint.serve { try $0.reply([9], sealed: SealedPieces(try SealedMemory(copying: [1, 2, 3]))) }
        }
        for size in [0, 1, 40] {
            let request = Request(
                method: 1, payload: [UInt8](repeating: 3, count: size),
                accepts: DescriptorAllowance(pieces: 1, bytes: 10))
            _ = try host.callAndWait(request, timeout: .patience)
        }
        host.finish(thread)
        return try channel.bytes
    }

    @Test func `a recording that is cut off anywhere gives all its whole frames`() throws {
        let bytes = try Self.sample.get()
        let whole = try RecordingContents(reading: bytes)
        var most = 0
        for count in bytes.indices {
            do {
                let cut = try RecordingContents(reading: Array(bytes.prefix(count)))
                guard case .cut = cut.ending else {
                    Issue.record("cut at \(count): \(cut.ending)")
                    continue
                }
                #expect(cut.frames.map(\.call) == whole.frames.prefix(cut.frames.count).map(\.call))
                #expect(cut.frames.count >= most, "cut at \(count)")
                most = cut.frames.count
            } catch {
                #expect(
                    count < 64 + 20 && (error == .headerCut || error == .notARecording), "cut at \(count): \(error)")
            }
        }
        #expect(most == whole.frames.count && most > 6)
    }

    @Test func `a recording with a changed bit gives another recording or an error`() throws {
        let bytes = try Self.sample.get()
        for place in bytes.indices {
            for bit in 0..<8 {
                var changed = bytes
                changed[place] ^= 1 << bit
                guard let recording = try? RecordingContents(reading: changed) else {
                    #expect(place < 64 + 20, "byte \(place), bit \(bit)")
                    continue
                }
                for frame in recording.frames {
                    #expect(frame.payload.count <= Int(frame.length) && frame.pieces.count <= Int(frame.descriptors))
                }
            }
        }
    }

    @Test func `any bytes behind the mark are read or refused`() {
        let seed = SeededRandom.fresh()
        var random = SeededRandom(seed: seed)
        let head = RecordingFormat.mark + WireBytes.bytes(RecordingFormat.version)
        for _ in 0..<20_000 {
            let rest = (0..<Int.random(in: 0...300, using: &random)).map { _ in
                UInt8.random(in: 0...(Bool.random(using: &random) ? 3 : 255), using: &random)
            }
            guard let recording = try? RecordingContents(reading: head + rest) else { continue }
            #expect(recording.frames.count <= rest.count / 60, "SEED \(seed)")
        }
    }

    @Test func `a file that is no recording or a newer one is refused by name`() {
        #expect(throws: RecordingFailure.notARecording) { try RecordingContents(reading: []) }
        #expect(throws: RecordingFailure.notARecording) {
            try RecordingContents(reading: Array("#!/bin/sh\nexit\n".utf8))
        }
        let newer = RecordingFormat.mark + WireBytes.bytes(UInt32(9))
        #expect(throws: RecordingFailure.version(9)) { try RecordingContents(reading: newer) }
    }

    @Test func `bytes behind the last record are reported as damage`() throws {
        let bytes = try Self.sample.get()
        let recording = try RecordingContents(reading: bytes + bytes.suffix(40))
        guard case .damaged = recording.ending else {
            Issue.record("\(recording.ending)")
            return
        }
        #expect(try recording.frames == RecordingContents(reading: bytes).frames)
    }
}
