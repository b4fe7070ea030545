import AnnexLinux
import AnnexTestSupport
import Conducts
import Foundation
import Testing

@testable import AnnexChannel
@testable import AnnexReplay

/// A recorder writes every frame that passed through the channel. It keeps no more bytes of each frame than its
/// settings say.
@Suite(.timeLimit(.minutes(20))) struct RecordingTests {
    /// Lets a host talk to the extension of the conformance tests, and returns the recording.
    private func record(
        _ change: (inout ChannelRecording) -> Void = { _ in }, _ body: (HostEndpoint) async throws -> Void
    ) async throws -> RecordingContents {
        let channel = try RecordedChannel()
        let ends = try channel.ends(ChannelHandlers(), change)
        let host = ends.host
        let thread = ExtensionThread(ends.descriptors) { try ConformingConduct.serve($0) }
        _ = try await host.untilHello()
        try await body(host)
        try? host.sendAndWait(ChannelEvent(method: ChannelEvent.goodbye))
        thread.join()
        host.end(with: "the test is over")
        return try channel.recording
    }

    private func words(_ recording: RecordingContents) -> [String] {
        recording.frames.map { "\($0.direction == .toHost ? "<" : ">") \($0.kindName) \($0.method) \($0.payload)" }
    }

    @Test func `every kind of call is recorded in its order`() async throws {
        let recording = try await record { host in
            #expect(try await host.call(Request(method: 1, payload: [1]), timeout: .patience).payload == [1])
            #expect(try ask(host, 1, [2], timeout: .patience) == [2])
            #expect(try await host.call(Request(method: 1, payload: [3]), timeout: .patience).payload == [3])
            #expect(throws: CallFailure.failed(code: 7, text: "no")) { try ask(host, 2, [], timeout: .patience) }
            let post: [UInt8] = [4]
            try host.post(9, payload: post.span.bytes, flush: false)
        }
        let hello = recording.frames.first { $0.kindName == "hello" }
        #expect(hello?.direction == .toHost && hello?.length == 16)
        #expect(
            words(recording).filter { !$0.contains("hello") } == [
                "> request 1 [1]", "< reply 1 [1]", "> request 1 [2]", "< reply 1 [2]", "> request 1 [3]",
                "< reply 1 [3]", "> request 2 []", "< failure 2 [7, 0, 0, 0, 110, 111]", "> event 9 [4]",
                "> event 2 []",
            ])
        let calls = recording.frames.filter { $0.method == 1 }.map(\.call)
        #expect(calls == [1, 1, 2, 2, 3, 3])
        #expect(recording.label == "com.example.recorded" && recording.hostCapacity == 65536)
        #expect(zip(recording.frames, recording.frames.dropFirst()).allSatisfy { $0.time <= $1.time })
        guard case .said(.channelEnded, let text, _) = recording.ending else {
            Issue.record("\(recording.ending)")
            return
        }
        #expect(text.contains("the test is over"))
    }

    @Test func `the times of frames from many threads never go back`() async throws {
        let recording = try await record { host in
            let callers = (0..<4).map { _ in
                ExtensionThread(raw: {
                    for _ in 0..<300 {
                        #expect((try? host.callAndWait(Request(method: 1, payload: [1])).payload) == [1])
                    }
                })
            }
            for caller in callers { caller.join() }
        }
        #expect(recording.frames.count > 2400)
        #expect(zip(recording.frames, recording.frames.dropFirst()).allSatisfy { $0.time <= $1.time })
    }

    @Test func `a call that is given up is recorded as cancelled`() async throws {
        let channel = try RecordedChannel()
        let ends = try channel.ends()
        let host = ends.host
        let call = try await host.start(Request(method: 5, payload: [1]))
        call.cancel()
        host.end(with: "over")
        let frames = try channel.recording.frames
        #expect(frames.map(\.kindName) == ["request", "cancel"] && frames.map(\.call) == [1, 1], "\(frames)")
        _ = consume ends
    }

    @Test func `a recording keeps no more of a long message than its setting says`() async throws {
        let payload = [UInt8](repeating: 7, count: 1000)
        let recording = try await record({ $0.mostPayloadBytes = 10 }) { host in
            let answer = try await host.call(Request(method: 1, payload: payload), timeout: .patience).payload
            #expect(answer == payload)
        }
        let asked = try #require(recording.frames.first { $0.kindName == "request" })
        #expect(asked.length == 1000 && asked.payload == Array(payload.prefix(10)) && !asked.isWhole)
    }

    @Test func `a recording ends at its size limit and the channel goes on`() async throws {
        let channel = try RecordedChannel()
        let ends = try channel.ends { $0.mostBytes = 4096 }
        let host = ends.host
        let thread = ExtensionThread(ends.descriptors) { try ConformingConduct.serve($0) }
        for index in 0..<200 {
            let payload = [UInt8](repeating: UInt8(index), count: 100)
            #expect(try await host.call(Request(method: 1, payload: payload), timeout: .patience).payload == payload)
        }
        try host.sendAndWait(ChannelEvent(method: ChannelEvent.goodbye))
        thread.join()
        host.end(with: "over")
        #expect(try channel.bytes.count <= 4096)
        let recording = try channel.recording
        #expect(recording.frames.count > 10)
        guard case .said(.fileFull, _, _) = recording.ending else {
            Issue.record("\(recording.ending)")
            return
        }
    }

    @Test func `a recording keeps no more than its file may hold at any setting`() async throws {
        let channel = try RecordedChannel()
        let ends = try channel.ends {
            $0.mostBytes = 8192
            $0.mostPayloadBytes = .max
            $0.mostHandedOverBytes = .max
        }
        let host = ends.host
        // The whole file is a hole without any memory. It is longer than the length field of a record can state.
        let memory = DescriptorList(try Descriptor.memfd("annex-handed", size: 5 << 30))
        _ = try await host.start(Request(method: 1, payload: [1], descriptors: memory))
        host.end(with: "over")
        let recording = try channel.recording
        #expect(recording.mostPayloadBytes == 8192 && recording.mostHandedOverBytes == 8192)
        #expect(recording.frames.map(\.payload) == [[1]])
        guard case .said(.fileFull, _, _) = recording.ending else {
            Issue.record("\(recording.ending)")
            return
        }
        _ = consume ends
    }

    @Test func `descriptors are counted and their contents recorded if the settings say so`() async throws {
        for kept in [0, 2, 100] as [UInt32] {
            let channel = try RecordedChannel()
            let ends = try channel.ends { $0.mostHandedOverBytes = kept }
            let host = ends.host
            let thread = ExtensionThread(ends.descriptors) { endpoint in
                try endpoint.sayHello()
                try endpoint.serve { request in
                    var pieces = SealedPieces(try SealedMemory(copying: [1, 2, 3]))
                    pieces.append(try SealedMemory(copying: [4]))
                    try request.reply([5], sealed: pieces)
                }
            }
            let memory = try Descriptor.memfd("annex-handed", size: 0)
            try memory.writeAll([6, 7, 8])
            try memory.addSeals(.immutable)
            let allowance = DescriptorAllowance(pieces: 2, bytes: 100)
            let request = Request(
                method: 1, payload: [], descriptors: DescriptorList(memory), accepts: allowance)
            #expect(try await host.call(request, timeout: .patience).sealed.count == 2)
            host.finish(thread)
            let frames = try channel.recording.frames
            let asked = try #require(frames.first { $0.kindName == "request" })
            #expect(asked.pieces == [.init(size: 3, contents: Array([6, 7, 8].prefix(Int(kept))))])
            #expect(asked.mostPieces == 2 && asked.mostBytes == 100 && asked.descriptors == 1)
            let answer = try #require(frames.first { $0.kindName == "reply" })
            #expect(
                answer.pieces == [
                    .init(size: 3, contents: Array([1, 2, 3].prefix(Int(kept)))),
                    .init(size: 1, contents: Array([4].prefix(Int(kept)))),
                ])
        }
    }

    @Test func `a recording is a new file that only its owner can read`() throws {
        let channel = try RecordedChannel()
        _ = try channel.ends()
        let mode = try Descriptor.open(channel.path, O_RDONLY).status().mode
        #expect(mode == 0o600)
        #expect(throws: SystemError.self) { _ = try channel.ends() }
        let link = try RecordedChannel()
        symlink(link.path + "-elsewhere", link.path)
        #expect(throws: SystemError.self) { _ = try link.ends() }
        #expect(!FileManager.default.fileExists(atPath: link.path + "-elsewhere"))
    }
}
