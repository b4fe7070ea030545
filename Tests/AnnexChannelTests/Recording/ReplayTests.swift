import AnnexLinux
import AnnexTestSupport
import Conducts
import Glibc
import Synchronization
import Testing

@testable import AnnexChannel
@testable import AnnexReplay

/// A recording is replayed to an extension. Either the extension gives the same answers, or the replay names the first
/// difference.
@Suite(.timeLimit(.minutes(20))) struct ReplayTests {
    typealias Body = @Sendable (borrowing ExtensionEndpoint) throws -> Void

    /// Records the frames that `talk` exchanges with an extension.
    private func record(
        _ extensionBody: @escaping Body, service: HostService = HostService(), kept: UInt32 = 0,
        _ talk: (HostEndpoint) async throws -> Void
    ) async throws -> RecordingContents {
        let channel = try RecordedChannel()
        var handlers = ChannelHandlers()
        service.install(in: &handlers)
        let ends = try channel.ends(handlers) { $0.mostHandedOverBytes = kept }
        let host = ends.host
        let thread = ExtensionThread(ends.descriptors, extensionBody)
        _ = try await host.untilHello()
        try await talk(host)
        try? host.sendAndWait(ChannelEvent(method: ChannelEvent.goodbye))
        thread.join()
        host.end(with: "recorded")
        return try channel.recording
    }

    /// Replays a recording to another extension.
    private func replay(
        _ recording: RecordingContents, to extensionBody: @escaping Body, patience: Duration = .patience
    ) async throws -> ReplayDifference? {
        let replay = try ChannelReplay(recording)
        var handlers = ChannelHandlers()
        HostService(replaying: replay).install(in: &handlers)
        let ends = try HostEndpoint.make(configuration: .patient, handlers: handlers)
        let host = ends.host
        let thread = ExtensionThread(ends.descriptors, extensionBody)
        _ = try await host.untilHello()
        let difference = try await replay.run(on: host, patience: patience)
        try? host.sendAndWait(ChannelEvent(method: ChannelEvent.goodbye))
        thread.join()
        host.end(with: "replayed")
        return difference
    }

    /// Answers with the result of `change` for each request, until goodbye.
    private func answering(_ change: @escaping @Sendable (UInt16, [UInt8]) -> [UInt8]) -> Body {
        { endpoint in
            try endpoint.sayHello()
            while let incoming = try endpoint.next() {
                switch consume incoming {
                case .event(let event):
                    if event.method == ChannelEvent.goodbye { return }
                    try endpoint.sendAndWait(ChannelEvent(method: 5, payload: change(4, event.payload)))
                case .request(let request):
                    let (method, payload) = (request.method, request.payload)
                    try request.reply(change(method, payload))
                }
            }
        }
    }

    private func talk(_ host: HostEndpoint) async throws {
        for index in 0..<20 as Range<UInt8> {
            _ = try await host.call(Request(method: 1, payload: [index, 9]), timeout: .patience)
            if index % 5 == 0 { try host.sendAndWait(ChannelEvent(method: 4, payload: [index])) }
        }
    }

    @Test func `the same extension gives the same answers in a replay`() async throws {
        let recording = try await record({ try ConformingConduct.serve($0) }) { host in
            try await talk(host)
            _ = try? await host.call(Request(method: 2), timeout: .patience)
        }
        #expect(try ChannelReplay(recording).compared == 25)
        let difference = try await replay(recording, to: { try ConformingConduct.serve($0) })
        #expect(difference == nil, "\(String(describing: difference))")
    }

    @Test func `a replay names the first byte that differs`() async throws {
        let recording = try await record(answering { $1 }, { try await talk($0) })
        let changed = answering { method, bytes in bytes.first == 7 && method == 1 ? [7, 8] : bytes }
        let difference = try #require(try await replay(recording, to: changed))
        let call = try #require(recording.frames.first { $0.payload.first == 7 }).call
        #expect(difference.subject == "reply to call \(call) (method 1)")
        #expect(difference.what == "byte 1 is 8, but the recording has 9")
        let at = try #require(recording.frames.firstIndex { $0.call == call && $0.direction == .toHost })
        #expect(difference.message == at + 1)
    }

    @Test func `a longer or shorter answer or one of another kind is a difference`() async throws {
        let recording = try await record(answering { $1 }, { try await talk($0) })
        let shorter = try await replay(recording, to: answering { $0 == 1 ? Array($1.prefix(1)) : $1 })
        #expect(shorter?.what == "1 bytes, but the recording has 2")
        let failing = try await replay(
            recording,
            to: { endpoint in
                try endpoint.sayHello()
                while let incoming = try endpoint.next() {
                    switch consume incoming {
                    case .event(let event): if event.method == ChannelEvent.goodbye { return }
                    case .request(let request): try request.fail(code: 3, text: "no more")
                    }
                }
            })
        #expect(failing?.what == "the extension answered with failure 3 instead: no more")
        let event = try await replay(recording, to: answering { $0 == 4 ? [] : $1 })
        #expect(event?.subject == "event (method 5)" && event?.what == "0 bytes, but the recording has 1")
    }

    @Test func `an answer that never comes ends the replay`() async throws {
        let recording = try await record(answering { $1 }, { try await talk($0) })
        let silent = try await replay(
            recording,
            to: { endpoint in
                try endpoint.sayHello()
                while let incoming = try endpoint.next() {
                    if case .event(let event) = consume incoming, event.method == ChannelEvent.goodbye { return }
                }
            }, patience: .milliseconds(200))
        #expect(silent != nil)
    }

    @Test func `calls of the extension get the answers of the recording`() async throws {
        var service = HostService()
        service.serve(Resize.self) { Resized(image: $0.image + [UInt8($0.width)]) }
        let asking: @Sendable (UInt32) -> Body = { width in
            { endpoint in
                try endpoint.sayHello()
                while let incoming = try endpoint.next() {
                    switch consume incoming {
                    case .event(let event): if event.method == ChannelEvent.goodbye { return }
                    case .request(let request):
                        let payload = request.payload
                        try request.reply(
                            try endpoint.callAndWait(Resize(width: width, image: payload), timeout: .patience).image)
                    }
                }
            }
        }
        let recording = try await record(asking(3), service: service) { host in
            for index in 0..<5 as Range<UInt8> {
                let answer = try await host.call(Request(method: 1, payload: [index]), timeout: .patience).payload
                #expect(answer == [index, 3])
            }
        }
        #expect(try await replay(recording, to: asking(3)) == nil)
        let difference = try await replay(recording, to: asking(4))
        #expect(difference?.subject.hasPrefix("request 1") == true, "\(String(describing: difference))")
    }

    @Test func `descriptors of the recording are handed over again`() async throws {
        let sealing: @Sendable ([UInt8]) -> Body = { extra in
            { endpoint in
                try endpoint.sayHello()
                while let incoming = try endpoint.next() {
                    switch consume incoming {
                    case .event(let event): if event.method == ChannelEvent.goodbye { return }
                    case .request(var request):
                        let file = request.popFirstDescriptor()
                        let bytes = try file?.read(at: 0, count: 100) ?? []
                        try request.reply([], sealed: SealedPieces(try SealedMemory(copying: bytes + extra)))
                    }
                }
            }
        }
        let say: @Sendable (HostEndpoint) async throws -> Void = { host in
            let memory = try Descriptor.memfd("annex-handed", size: 0)
            try memory.writeAll([6, 7, 8])
            try memory.addSeals(.immutable)
            let request = Request(
                method: 1, descriptors: DescriptorList(memory), accepts: DescriptorAllowance(pieces: 1, bytes: 100))
            #expect(try await host.call(request, timeout: .patience).sealed.count == 1)
        }
        let recording = try await record(sealing([1]), kept: 100) { try await say($0) }
        #expect(try await replay(recording, to: sealing([1])) == nil)
        #expect(try await replay(recording, to: sealing([2]))?.what == "piece 1: byte 3 is 2, but the recording has 1")
        #expect(try await replay(recording, to: sealing([1, 1]))?.what == "piece 1: 5 bytes, but the recording has 4")
        let sizes = try await record(sealing([1])) { try await say($0) }
        #expect(throws: ReplayFailure.self) { _ = try ChannelReplay(sizes) }
    }

    @Test func `a call that was given up is given up again`() async throws {
        // Delays the first answer until its caller has given up.
        let patient: Body = { endpoint in
            try endpoint.sayHello()
            while let incoming = try endpoint.next() {
                switch consume incoming {
                case .event(let event): if event.method == ChannelEvent.goodbye { return }
                case .request(let request):
                    let payload = request.payload
                    while payload == [1], try !request.isCancelled() { sched_yield() }
                    try request.reply(payload)
                }
            }
        }
        let recording = try await record(patient) { host in
            let call = try await host.start(Request(method: 1, payload: [1]))
            call.cancel()
            _ = try await host.call(Request(method: 1, payload: [2]), timeout: .patience)
        }
        #expect(recording.frames.contains { $0.kindName == "cancel" })
        #expect(try await replay(recording, to: patient) == nil)
    }

    @Test func `a recording with streams is refused by name`() async throws {
        let recording = try await record(answering { $1 }) { host in
            let stream = try? host.openStream(20)
            stream?.cancel(code: 1, text: "")
        }
        #expect(throws: ReplayFailure.self) { _ = try ChannelReplay(recording) }
    }
}
