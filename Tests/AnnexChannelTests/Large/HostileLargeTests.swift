import AnnexLinux
import AnnexTestSupport
import Glibc
import Synchronization
import Testing

@testable import AnnexChannel

/// A large message is sent in pieces, each in one place of an arena. These tests make the false claims that a peer
/// can make about pieces and places.
@Suite(.timeLimit(.minutes(20))) struct HostileLargeTests {
    static let piece = Int(WireFormat.pieceSize)

    /// Arenas of four places each.
    static func channel(_ change: (inout ChannelConfiguration) -> Void = { _ in }) throws -> HostileChannel {
        try HostileChannel {
            $0.hostArena = 4 * WireFormat.pieceSize
            $0.extensionArena = 4 * WireFormat.pieceSize
            change(&$0)
        }
    }

    static func large(
        _ length: UInt32, kind: UInt32 = 3, method: UInt16 = 1, call: UInt64 = 1, more: [UInt8] = []
    ) -> [UInt8] {
        RawPeer.frame(14, WireBytes.bytes(length) + WireBytes.bytes(kind) + more, method: method, call: call)
    }

    static func piece(_ place: UInt16, _ payload: [UInt8] = [], call: UInt64 = 1, descriptors: UInt8 = 0) -> [UInt8] {
        RawPeer.frame(15, payload, descriptors: descriptors, method: place, call: call)
    }

    struct Lie: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let frames: [[UInt8]]
        let violation: ChannelViolation

        init(_ name: String, _ frames: [[UInt8]], _ violation: ChannelViolation) {
            (testDescription, self.frames, self.violation) = (name, frames, violation)
        }
    }

    static let lies = [
        Lie("a piece of nothing", [piece(0)], .pieceOfNothing(call: 1)),
        Lie("a place outside", [large(100_000), piece(4)], .pieceOutside(place: 4, places: 4)),
        Lie("the last place of all", [large(100_000), piece(.max)], .pieceOutside(place: 65535, places: 4)),
        Lie("a piece of another call", [large(100_000), piece(0, call: 2)], .pieceOfNothing(call: 2)),
        Lie("a piece more than there were", [large(10), piece(0), piece(0)], .pieceOfNothing(call: 1)),
        Lie("a piece with bytes", [large(10), piece(0, [1])], .pieceOfNothing(call: 1)),
        Lie("a piece with descriptors", [large(10), piece(0, descriptors: 1)], .pieceOfNothing(call: 1)),
        Lie("no bytes at all", [large(0)], .malformed(kind: 14, length: 8)),
        Lie("more than is taken", [large(.max)], .length(UInt64(UInt32.max), room: 16 << 20)),
        Lie("one byte more than is taken", [large(16 << 20 + 1)], .length(16 << 20 + 1, room: 16 << 20)),
        Lie(
            "a header cut short", [RawPeer.frame(14, [1, 0, 0, 0], method: 1, call: 1)], .malformed(kind: 14, length: 4)
        ),
        Lie("a header too long", [large(10, more: [0])], .malformed(kind: 14, length: 9)),
        Lie("an event", [large(10, kind: 6)], .unexpectedKind(6)),
        Lie("a request", [large(10, kind: 2, more: [UInt8](repeating: 0, count: 24))], .unexpectedKind(2)),
        Lie("a hello", [large(10, kind: 1)], .unexpectedKind(1)),
        Lie("a message in pieces of pieces", [large(10, kind: 14)], .unexpectedKind(14)),
        Lie("an unknown kind", [large(10, kind: 99)], .unexpectedKind(99)),
        Lie("an answer within another", [large(100_000), large(10)], .messageUnfinished(call: 1)),
        Lie(
            "a small answer within a large one",
            [large(10), RawPeer.frame(3, [UInt8](repeating: 7, count: 30_000), method: 1, call: 1)],
            .messageUnfinished(call: 1)),
        Lie(
            "a failure within a large answer", [large(10), RawPeer.frame(4, [0, 0, 0, 0], method: 1, call: 1)],
            .messageUnfinished(call: 1)),
        Lie("an answer to nothing", [large(10, call: 7)], .unknownCall(7)),
        Lie("an answer to no raw call", [large(10, call: 1 << 63 | 9)], .unknownCall(1 << 63 | 9)),
        Lie("another method", [large(10, method: 2)], .wrongMethod(call: 1, 2, asked: 1)),
    ]

    @Test(arguments: lies)
    func `IPC-05: every claim about pieces and places is checked before memory is touched`(_ lie: Lie) async throws {
        let channel = try Self.channel()
        var writer = RawWriter(channel.peer)
        try await channel.greet(&writer)
        let call = try await channel.host.start(Request(method: 1, mostReply: .max))
        for frame in lie.frames { writer.send(frame) }
        #expect(await channel.violation() == lie.violation)
        // An answer that was complete before the false claim is still valid.
        do throws(CallFailure) {
            #expect(try await call.value().payload.count == 10)
        } catch {
            #expect(error == .violated(lie.violation))
        }
    }

    @Test func `IPC-08: a message in pieces before the hello is refused`() async throws {
        let channel = try Self.channel()
        var writer = RawWriter(channel.peer)
        writer.send(Self.large(10))
        #expect(await channel.violation() == .noHello(kind: 14))
    }

    @Test func `IPC-05: a place that is named several times is read each time and the host lives`() async throws {
        let channel = try Self.channel()
        let peer = channel.peer
        let arena = try Arena(peer)
        var writer = RawWriter(peer)
        try await channel.greet(&writer)
        let call = try await channel.host.start(Request(method: 1, mostReply: .max))
        arena.fill(2, with: 7)
        writer.send(Self.large(UInt32(2 * Self.piece + 5)))
        for _ in 0..<3 { writer.send(Self.piece(2)) }
        #expect(try await call.value().payload == [UInt8](repeating: 7, count: 2 * Self.piece + 5))
        let next = try await channel.host.start(Request(method: 1, mostReply: .max))
        writer.send(RawPeer.frame(3, [4], method: 1, call: 2))
        #expect(try await next.value().payload == [4])
    }

    @Test func `IPC-01: a piece that changes while it is read becomes one stable copy`() async throws {
        let channel = try Self.channel()
        let peer = channel.peer
        let arena = try Arena(peer)
        let stop = Flag()
        let thread = ExtensionThread(raw: {
            while !stop.isSet {
                arena.fill(0, with: 0xAA)
                arena.fill(0, with: 0x55)
            }
        })
        var writer = RawWriter(peer)
        try await channel.greet(&writer)
        for turn in 1...50 as ClosedRange<UInt64> {
            let call = try await channel.host.start(Request(method: 1, mostReply: .max))
            writer.send(Self.large(UInt32(3 * Self.piece), call: turn))
            for _ in 0..<3 { writer.send(Self.piece(0, call: turn)) }
            let payload = try await call.value().payload
            #expect(payload.count == 3 * Self.piece)
            let before = payload.reduce(0) { $0 &+ Int($1) }
            #expect(payload.allSatisfy { $0 == 0xAA || $0 == 0x55 || $0 == 0 })
            #expect(payload.reduce(0) { $0 &+ Int($1) } == before)
        }
        stop.set()
        thread.join()
    }

    @Test func `LIFE-06: an answer that never ends is over at the deadline of its caller`() async throws {
        let channel = try Self.channel()
        var writer = RawWriter(channel.peer)
        try await channel.greet(&writer)
        let call = try await channel.host.start(Request(method: 1, mostReply: .max), timeout: .milliseconds(50))
        writer.send(Self.large(UInt32(2 * Self.piece)))
        writer.send(Self.piece(0))
        await #expect(throws: CallFailure.deadlineExceeded) { try await call.value() }
        writer.send(Self.piece(0))
        let next = try await channel.host.start(Request(method: 1, mostReply: .max))
        writer.send(RawPeer.frame(3, [4], method: 1, call: 2))
        #expect(try await next.value().payload == [4])
        #expect(channel.host.counters.lateReplies == 1)
    }

    @Test func `the memory of a raw caller is left alone after its deadline`() async throws {
        let channel = try Self.channel()
        let host = channel.host
        let arena = try Arena(channel.peer)
        arena.fill(1, with: 9)
        var writer = RawWriter(channel.peer)
        try await channel.greet(&writer)
        let raw: UInt64 = 1 << 63 | 1
        let caller = ExtensionThread(raw: {
            var answer = [UInt8](repeating: 0, count: 2 * Self.piece)
            var span = answer.mutableSpan
            var bytes = span.mutableBytes
            #expect(throws: CallFailure.deadlineExceeded) {
                try host.callAndWait(1, payload: [1].span.bytes, into: &bytes, timeout: .milliseconds(200))
            }
            let before = answer
            usleep(50_000)
            #expect(answer == before)
        })
        while channel.peer.load(host: RegionLayout.ring) == 0 { sched_yield() }
        writer.send(Self.large(UInt32(2 * Self.piece), call: raw))
        writer.send(Self.piece(1, call: raw))
        caller.join()
        writer.send(Self.piece(1, call: raw))
        let next = try await host.start(Request(method: 1, mostReply: .max))
        writer.send(RawPeer.frame(3, [4], method: 1, call: next.id))
        #expect(try await next.value().payload == [4])
    }

    /// The length of the large answer fits the caller's memory, but the length of the second answer does not.
    @Test(arguments: [false, true])
    func `BOMB-09: a second answer is never copied past the memory of a raw call`(_ isInTable: Bool) async throws {
        let channel = try Self.channel { $0.waiting = .block }
        let host = channel.host
        var writer = RawWriter(channel.peer)
        try await channel.greet(&writer)
        let mayRead = try Gate()
        // A busy reader makes the call enter the table.
        let reader =
            isInTable ? ExtensionThread(raw: { host.leader.receiving.withLock { _ in try? mayRead.wait() } }) : nil
        while isInTable, host.leader.receiving.withLockIfAvailable({ _ in }) != nil { sched_yield() }
        let sent = host.counters.framesSent
        let caller = ExtensionThread(raw: {
            var room = [UInt8](repeating: 9, count: 100)
            var span = room.mutableSpan
            var bytes = span.mutableBytes
            let failure = #expect(throws: CallFailure.self) {
                try host.callAndWait(1, payload: [1].span.bytes, into: &bytes, timeout: .patience)
            }
            guard case .violated(.messageUnfinished) = failure else {
                Issue.record("\(String(describing: failure))")
                return
            }
            #expect(room.allSatisfy { $0 == 9 })
        })
        while host.counters.framesSent == sent { sched_yield() }
        mayRead.open()
        let call: UInt64 = isInTable ? 1 : 1 << 63 | 1
        writer.send(Self.large(10, call: call))
        writer.send(RawPeer.frame(3, [UInt8](repeating: 7, count: 2000), method: 1, call: call))
        caller.join()
        reader?.join()
    }

    @Test func `LIFE-06: a large answer gives a raw call no additional time`() async throws {
        let channel = try Self.channel { $0.waiting = .block }
        let host = channel.host
        var writer = RawWriter(channel.peer)
        try await channel.greet(&writer)
        let before = host.counters.sleeps
        let caller = ExtensionThread(raw: {
            _ = #expect(throws: CallFailure.ended(reason: "over")) {
                try ask(host, 1, [1], room: 2 * Self.piece, timeout: .seconds(3600))
            }
        })
        while host.counters.sleeps == before { sched_yield() }
        let asleep = MonotonicClock.now()
        let raw: UInt64 = 1 << 63 | 1
        writer.send(Self.large(UInt32(2 * Self.piece), call: raw))
        var entered: ChannelCall?
        while entered == nil {
            if case .open(let call) = host.state.calls.withLock({ $0.find(raw) }) { entered = call }
            sched_yield()
        }
        let deadline = try #require(entered?.deadline)
        #expect(deadline <= asleep + 3600 * 1_000_000_000)
        host.end(with: "over")
        caller.join()
    }

    @Test
    func `IPC-06: a peer that gives no place back delays only large messages until their deadlines`() async throws {
        let channel = try Self.channel()
        var writer = RawWriter(channel.peer)
        writer.send(Self.hello)
        _ = try await channel.host.untilHello()
        #expect(throws: CallFailure.deadlineExceeded) {
            try ask(channel.host, 1, LargeMessageTests.bytes(1 << 20), timeout: .milliseconds(30))
        }
        let small = try await channel.host.start(Request(method: 1, mostReply: .max))
        writer.send(RawPeer.frame(3, [4], method: 1, call: small.id))
        #expect(try await small.value().payload == [4])
    }

    @Test func `IPC-05: a place that is given back twice or too early is refused`() async throws {
        let channel = try Self.channel()
        let host = channel.host
        var writer = RawWriter(channel.peer)
        writer.send(Self.hello)
        _ = try await host.untilHello()
        let caller = ExtensionThread(raw: {
            _ = #expect(throws: CallFailure.self) { try ask(host, 1, LargeMessageTests.bytes(1 << 20)) }
        })
        // The loop waits for the head and four pieces. Each of them takes one line of the ring, which is 64 bytes.
        while channel.peer.load(host: RegionLayout.ring + 4 * 64) == 0 { sched_yield() }
        channel.peer.store(5 * 64, at: RegionLayout.consumed)
        while channel.peer.load(host: RegionLayout.ring + 8 * 64) == 0 { sched_yield() }
        channel.peer.store(5 * 64 - 64, at: RegionLayout.consumed)
        caller.join()
        guard case .consumed = await channel.violation() else {
            Issue.record("no violation of the position")
            return
        }
    }

    static let hello = RawPeer.frame(
        1,
        WireBytes.bytes(WireFormat.magic) + WireBytes.bytes(WireFormat.version)
            + WireBytes.bytes(WireFeatures.own.rawValue))

    /// The extension's arena, as a peer writes it.
    final class Arena: Sendable {
        private let mapping: Mapping

        init(_ peer: RawPeer) throws {
            mapping = try peer.arena()
        }

        func fill(_ place: Int, with byte: UInt8) {
            let start = mapping.start + RegionLayout.size(capacity: 65536) + place * HostileLargeTests.piece
            memset(start, Int32(byte), HostileLargeTests.piece)
        }
    }
}
