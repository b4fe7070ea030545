import AnnexLinux
import Testing

@testable import AnnexChannel

/// Frames that stay in one place, because the writer knows that each frame is taken before it writes the next.
@Suite(.timeLimit(.minutes(20))) struct RingStayTests {
    /// A writer and a reader that share the same memory.
    private final class Ring {
        let own: OwnRegion
        let peer: PeerRegion
        var writer: RingWriter
        var reader: RingReader

        init() throws {
            let size = RegionLayout.size(capacity: 4096)
            let memory = try Descriptor.memfd("annex-stay", size: Int64(size))
            own = OwnRegion(try Mapping(memory, size: size, writable: true), capacity: 4096)
            peer = PeerRegion(try Mapping(memory, size: size, writable: false), capacity: 4096)
            writer = RingWriter(ring: own.ring, consumed: peer.consumed)
            reader = RingReader(ring: peer.ring, consumed: own.consumed)
        }

        func stay(_ call: UInt64, _ payload: [UInt8], known: UInt64 = 0) -> Bool {
            payload.withUnsafeBytes {
                let word = FrameHeader(kind: .event).plainWord
                return writer.publishAtOnce(word, call: call, payload: $0, stays: true, known: known) != nil
            }
        }

        func read() throws -> Frame? { try reader.next() }
        var hasNews: Bool { reader.hasNews }
        var places: [UInt32] { [writer.position, reader.position] }
        func hasTakenARing(since start: UInt32) -> Bool { reader.hasReadARing(since: start) }

        func goOn(_ call: UInt64) throws {
            let hasRoom = try writer.hasRoom(payload: 0)
            try #require(hasRoom)
            writer.write(FrameHeader(kind: .event, call: call))
            _ = writer.publish()
        }
    }

    @Test func `frames of many sizes in one place are each taken once`() throws {
        let ring = try Ring()
        for call in UInt64(1)...1000 {
            let payload = [UInt8](repeating: UInt8(call % 255), count: Int(call * 37 % 257))
            try #require(ring.stay(call, payload, known: call - 1))
            let frame = try #require(try ring.read())
            try #require(frame.call == call && frame.payload == payload)
            try #require(try ring.read() == nil && !ring.hasNews)
        }
        #expect(ring.places == [0, 0])
    }

    @Test(arguments: [true, false])
    func `a frame that must not stay goes behind the one that stays, taken or not`(isTaken: Bool) throws {
        let ring = try Ring()
        // The first frame is long. The reader must not take its old bytes for the header after the short frame.
        try #require(ring.stay(1, [UInt8](repeating: 0xFF, count: 200)))
        _ = try ring.read()
        try #require(ring.stay(2, [2], known: 1))
        if isTaken { #expect(try ring.read()?.call == 2) }
        try ring.goOn(3)
        if !isTaken { #expect(try ring.read()?.call == 2) }
        #expect(try ring.read()?.call == 3)
        #expect(try ring.read() == nil && !ring.hasNews)
        #expect(Set(ring.places).count == 1)
    }

    @Test func `a frame stays only if the last one is known to be taken`() throws {
        let ring = try Ring()
        try #require(ring.stay(7, [7]))
        #expect(!ring.stay(8, [8]) && !ring.stay(8, [8], known: 6))
        #expect(try ring.read()?.payload == [7])
        #expect(ring.stay(8, [8], known: 7))
        #expect(try ring.read()?.payload == [8])
    }

    @Test func `IPC-01: a place that is emptied behind a frame that stayed is a violation`() throws {
        let ring = try Ring()
        try #require(ring.stay(1, [1]))
        _ = try ring.read()
        ring.own.ring.clearHeader(at: 0)
        #expect(ring.hasNews)
        #expect(throws: ChannelViolation.unknownKind(0)) { _ = try ring.read() }
    }

    @Test func `IPC-13: frames that stay in one place count like all others`() throws {
        let ring = try Ring()
        let start = ring.reader.bytesRead
        var frames = 0
        while !ring.hasTakenARing(since: start) {
            frames += 1
            try #require(ring.stay(UInt64(frames), [], known: UInt64(frames - 1)))
            try #require(try ring.read() != nil)
        }
        #expect(frames == 64)
    }

    @Test func `calls one after another stay in their places and other calls go behind them`() throws {
        let ends = try HostEndpoint.make(configuration: .patient)
        let host = ends.host
        let thread = ExtensionThread(ends.descriptors) { endpoint in
            try endpoint.sayHello()
            try endpoint.serve(
                { _, request, reply in
                    request.withUnsafeBytes { bytes in reply.withUnsafeMutableBytes { $0.copyMemory(from: bytes) } }
                    return request.byteCount
                }, post: { method, _ in method != ExtensionThread.endMethod })
        }
        for round in UInt8(0)..<50 {
            var places: Set<UInt32> = []
            for number in UInt8(0)..<50 {
                #expect(try ask(host, 1, [round, number]) == [round, number])
                places.insert(host.sender.half.withLock { $0.writer.position })
            }
            // The first frame of a series may lie at the place to which the previous series moved on.
            #expect(places.count <= 2)
            // Neither call is a raw call.
            #expect(try host.callAndWait(Request(method: 1, payload: [round])).payload == [round])
        }
        host.finish(thread)
    }

    @Test func `only answers to raw calls stay in one place`() throws {
        let ring = try Ring()
        var sender = ExtensionSender(own: ring.own, peer: ring.peer, waiting: .spin, framesMayStay: true)
        func answer(_ call: UInt64) -> UInt32 {
            let header = FrameHeader(kind: .reply, method: 1, call: call)
            let sent = [1].withUnsafeBytes { sender.publishUnchecked(header, payload: $0, isAttended: true) }
            return sent != nil ? sender.writer.position : .max
        }
        #expect(answer(5) == 64 && answer(6) == 128)
        #expect(answer(1 << 63 | 5) == 128 && answer(1 << 63 | 6) == 128)
        // One call between them was left out, so its answer may not have been taken.
        #expect(answer(1 << 63 | 8) == .max)
    }

    @Test func `the number of a raw call says whether the answer before it was taken`() {
        var calls = RawCalls()
        let first = calls.open()
        calls.recordAnswer(to: first)
        let second = calls.open()
        #expect(second == first + 1)
        // This call was given up.
        let third = calls.open()
        #expect(third == second + 2)
        calls.recordAnswer(to: second)
        #expect(calls.open() == third + 2)
    }
}
