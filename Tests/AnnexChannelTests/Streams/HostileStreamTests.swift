import AnnexLinux
import AnnexTestSupport
import Synchronization
import Testing

@testable import AnnexChannel

/// A peer breaks one rule of streams or of its own calls. The host must name the rule, close the channel, and continue
/// to run.
@Suite(.timeLimit(.minutes(20))) struct HostileStreamTests {
    private enum Kind {
        static let request: UInt8 = 2
        static let cancel: UInt8 = 5
        static let open: UInt8 = 9
        static let data: UInt8 = 10
        static let credit: UInt8 = 11
        static let finish: UInt8 = 12
        static let reset: UInt8 = 13
    }

    private static func opening(_ stream: UInt64, window: UInt32 = 4096) -> [UInt8] {
        RawPeer.frame(Kind.open, WireBytes.bytes(window), call: stream)
    }

    private static func request(_ call: UInt64) -> [UInt8] {
        RawPeer.frame(Kind.request, [UInt8](repeating: 0xFF, count: 8) + [UInt8](repeating: 0, count: 16), call: call)
    }

    /// The violation that the host finds in these frames.
    private func violation(
        _ frames: [[UInt8]], taking: Bool = true, _ change: (inout ChannelConfiguration) -> Void = { _ in }
    ) async throws -> ChannelViolation? {
        let kept = KeptStreams()
        let channel = try HostileChannel(
            {
                // A flood may take longer than a second.
                $0.budgetPeriod = .patience
                change(&$0)
            },
            handlers: { handlers in
                guard taking else { return }
                // The streams are kept as long as the channel, because this side resets a stream that is released.
                handlers.onStream = { kept.add($0) }
                handlers.onRequest = { $0.fail(code: 1, text: "no") }
            })
        var writer = RawWriter(channel.peer)
        writer.sendHello()
        writer.send(frames.flatMap(\.self))
        defer { kept.dropAll() }
        return await channel.violation()
    }

    @Test(
        arguments: [(Kind.data, 2), (Kind.data, 3), (Kind.credit, 7), (Kind.finish, 0), (Kind.reset, .max)]
            as [(UInt8, UInt64)])
    func `IPC-08: a frame of a stream that is not open is refused`(_ kind: UInt8, _ stream: UInt64) async throws {
        let found = try await violation([RawPeer.frame(kind, [1, 0, 0, 0], call: stream)])
        #expect(found == .unknownStream(stream))
    }

    @Test(arguments: [[1], [3], [2, 2], [4, 2], [0]] as [[UInt64]])
    func `IPC-08: a stream of the extension has an even and new number`(_ numbers: [UInt64]) async throws {
        let found = try await violation(numbers.map { Self.opening($0) })
        #expect(found == .unknownStream(numbers.last ?? 0))
    }

    @Test func `BOMB-11: messages without credit are refused`() async throws {
        let message = RawPeer.frame(Kind.data, [UInt8](repeating: 0, count: 2000), call: 2)
        let found = try await violation([Self.opening(2), message, message, message, message]) {
            $0.streamWindow = 4096
        }
        #expect(found == .streamCredit(2))
    }

    @Test(arguments: [0, 15, 16, .max] as [UInt32])
    func `credit that the host does not owe is refused`(_ credit: UInt32) async throws {
        let found = try await violation([Self.opening(2), RawPeer.frame(Kind.credit, WireBytes.bytes(credit), call: 2)])
        #expect(found == .streamCredit(2))
    }

    @Test func `a frame after the end of a stream is refused`() async throws {
        let finish = RawPeer.frame(Kind.finish, call: 2)
        for last in [finish, RawPeer.frame(Kind.data, [1], call: 2)] {
            let found = try await violation([Self.opening(2), finish, last])
            #expect(found == .streamIsOver(2))
        }
    }

    @Test(arguments: [Kind.open, Kind.credit, Kind.reset])
    func `a frame of a stream with a short payload is refused`(_ kind: UInt8) async throws {
        let frames = kind == Kind.open ? [] : [Self.opening(2)]
        let found = try await violation(frames + [RawPeer.frame(kind, [1, 0, 0], call: 2)])
        #expect(found == .malformed(kind: kind, length: 3))
    }

    struct Broken: Sendable {
        let kind: UInt8
        let payload: [UInt8]
        let descriptors: UInt8
        let call: UInt64
        /// The length of the payload that the host names.
        let length: Int

        init(_ kind: UInt8, _ payload: [UInt8], descriptors: UInt8 = 0, call: UInt64 = 2, length: Int? = nil) {
            (self.kind, self.payload, self.descriptors, self.call) = (kind, payload, descriptors, call)
            self.length = length ?? payload.count
        }
    }

    @Test(arguments: [
        Broken(Kind.request, [UInt8](repeating: 0, count: 23)),
        Broken(Kind.request, [UInt8](repeating: 0, count: 24), descriptors: 1, length: 0),
        Broken(Kind.cancel, [1], call: 1), Broken(Kind.cancel, [], descriptors: 1, call: 1),
        Broken(Kind.open, WireBytes.bytes(1023 as UInt32), call: 4),
        Broken(Kind.open, WireBytes.bytes(1 << 28 + 1 as UInt32), call: 4),
        Broken(Kind.open, WireBytes.bytes(4096 as UInt32), descriptors: 1, call: 4),
        Broken(Kind.data, [1], descriptors: 1), Broken(Kind.credit, [16, 0, 0, 0, 0]),
        Broken(Kind.finish, [1]), Broken(Kind.finish, [], descriptors: 1),
    ])
    func `IPC-05, FD-03: a frame of a wrong length or value or with a descriptor is refused`(_ frame: Broken)
        async throws
    {
        let bytes = RawPeer.frame(frame.kind, frame.payload, descriptors: frame.descriptors, call: frame.call)
        let found = try await violation([Self.opening(2), Self.request(1), bytes])
        #expect(found == .malformed(kind: frame.kind, length: frame.length))
    }

    @Test func `BOMB-11: no more streams are accepted than may be open`() async throws {
        let kept = KeptStreams()
        let channel = try HostileChannel({ $0.mostStreams = 2 }, handlers: { $0.onStream = { kept.add($0) } })
        var writer = RawWriter(channel.peer)
        var events = channel.events.makeAsyncIterator()
        writer.sendHello()
        writer.send((1...3).flatMap { Self.opening($0 * 2) } + RawPeer.frame(6))
        _ = await events.next()
        #expect(kept.count == 2)
        kept.dropAll()
    }

    @Test(arguments: [false, true])
    func `BOMB-08: a flood of new streams ends at the budget`(_ taking: Bool) async throws {
        let frames = (1...200).map { Self.opening(UInt64($0) * 2) }
        let found = try await violation(frames, taking: taking) { $0.framesPerSecond = 100 }
        #expect(found == .messageBudget(.frames, limit: 100))
    }

    @Test(arguments: [[0], [2], [1, 1], [1, 3], [.max]] as [[UInt64]])
    func `IPC-08: the calls of an extension are numbered one after another`(_ numbers: [UInt64]) async throws {
        let found = try await violation(numbers.map { Self.request($0) })
        #expect(found == .unknownCall(numbers.last ?? 0))
    }

    @Test func `IPC-08: a cancel of a call that was never made is refused`() async throws {
        let found = try await violation([Self.request(1), RawPeer.frame(Kind.cancel, call: 2)])
        #expect(found == .unknownCall(2))
    }

    @Test func `BOMB-08: a flood of calls ends at the budget`() async throws {
        let frames = (1...200).map { Self.request(UInt64($0)) }
        let found = try await violation(frames) { $0.framesPerSecond = 100 }
        #expect(found == .messageBudget(.frames, limit: 100))
    }

    @Test func `BOMB-08: frames of a stream that is over cost frames once its credit is used up`() async throws {
        let channel = try HostileChannel {
            $0.framesPerSecond = 5
            $0.budgetPeriod = .patience
        }
        let stream = try channel.host.openStream(1, window: 1024)
        stream.cancel()
        var writer = RawWriter(channel.peer)
        try await channel.greet(&writer)
        // The stream's window holds 64 messages. The host sent no message, so no credit can follow. Four other frames
        // do not count.
        let free = 64 + 4
        writer.send((0..<free + 6).flatMap { _ in RawPeer.frame(Kind.finish, call: stream.id) })
        #expect(await channel.violation() == .messageBudget(.frames, limit: 5))
        #expect(channel.host.counters.framesReceived == UInt64(1 + free + 6))
    }

    @Test func `BOMB-08: a flood of cancels ends at the budget`() async throws {
        let cancels = [[UInt8]](repeating: RawPeer.frame(Kind.cancel, call: 1), count: 200)
        let found = try await violation([Self.request(1)] + cancels) { $0.framesPerSecond = 100 }
        #expect(found == .messageBudget(.frames, limit: 100))
    }

    @Test func `BOMB-11: unread answers are bounded`() async throws {
        // Each answer takes a line (64 bytes) of the host's ring, which the peer never reads.
        let frames = (1...600).map { Self.request(UInt64($0)) }
        let found = try await violation(frames) {
            $0.hostCapacity = 4096
            $0.mostWaitingFrames = 50
        }
        #expect(found == .messageBudget(.unread, limit: 50))
    }
}

/// Streams that a host accepts, but neither reads nor releases.
private final class KeptStreams: Sendable {
    private let streams = Mutex<[ChannelStream]>([])

    var count: Int { streams.withLock { $0.count } }

    func add(_ stream: ChannelStream) {
        streams.withLock { $0.append(stream) }
    }

    /// Releases the streams outside the lock, because a released stream reports to its endpoint.
    func dropAll() {
        let streams = streams.withLock { streams in
            defer { streams = [] }
            return streams
        }
        withExtendedLifetime(streams) {}
    }
}
