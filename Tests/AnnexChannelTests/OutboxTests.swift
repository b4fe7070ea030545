import AnnexLinux
import AnnexTestSupport
import Synchronization
import Testing

@testable import AnnexChannel

/// Frames that wait for an extension that does not read. Their number, bytes and time are bounded.
@Suite(.timeLimit(.minutes(20))) struct OutboxTests {
    private func frame(_ number: UInt64, _ bytes: Int = 0) -> OutgoingFrame.Copy {
        OutgoingFrame.Copy(
            header: FrameHeader(kind: .reply, call: number), payload: [UInt8](repeating: 0, count: bytes))
    }

    @Test func `frames leave the outbox in their order`() {
        var outbox = HostOutbox()
        var taken: [UInt64] = []
        for number in 0..<100 as Range<UInt64> {
            outbox.append(frame(number), at: 0)
            guard number % 3 == 0, let next = outbox.next else { continue }
            taken.append(next.header.call)
            outbox.removeNext(at: 0)
        }
        while let next = outbox.next {
            taken.append(next.header.call)
            outbox.removeNext(at: 0)
        }
        let count = outbox.count
        #expect(taken == Array(0..<100) && count == 0)
    }

    @Test func `the outbox limits the bytes and the time of waiting frames`() {
        var configuration = ChannelConfiguration()
        configuration.mostWaitingFrames = 3
        configuration.mostWaitingBytes = 100
        configuration.unreadLimit = .seconds(1)
        var outbox = HostOutbox()
        outbox.append(frame(1, 5000), at: 7)
        let (one, late) = (
            outbox.excess(over: configuration, at: 1_000_000_007), outbox.excess(over: configuration, at: 1_000_000_008)
        )
        #expect(one == nil, "one frame may always wait, however large")
        #expect(late == .time)
        outbox.append(frame(2), at: 8)
        let heavy = outbox.excess(over: configuration, at: 8)
        #expect(heavy == .bytes)
        outbox.removeNext(at: 2_000_000_000)
        let light = outbox.excess(over: configuration, at: 3_000_000_000)
        #expect(light == nil, "what comes next waits from the last one's going on")
        for number in 3...5 as ClosedRange<UInt64> { outbox.append(frame(number), at: 9) }
        let many = outbox.excess(over: configuration, at: 3_000_000_000)
        #expect(many == .frames)
    }

    /// A peer that reads nothing opens streams. The host refuses each stream with a frame, but the host's ring is
    /// full and has no room for this frame.
    private func refused(
        _ change: (inout ChannelConfiguration) -> Void
    ) async throws -> (HostileChannel, RawWriter) {
        let channel = try HostileChannel {
            $0.hostCapacity = 4096
            change(&$0)
        }
        var writer = RawWriter(channel.peer)
        try await channel.greet(&writer)
        #expect(throws: CallFailure.deadlineExceeded) {
            while true { try channel.host.sendAndWait(ChannelEvent(method: 1), timeout: .zero) }
        }
        for number in 1...4 as ClosedRange<UInt64> {
            writer.send(RawPeer.frame(9, WireBytes.bytes(UInt32(1024)), method: 1, call: number * 2))
        }
        return (channel, writer)
    }

    @Test func `an extension that reads nothing is ended at its time limit`() async throws {
        let (channel, _) = try await refused { $0.unreadLimit = .seconds(1) }
        #expect(await channel.violation() == .unread(seconds: 1))
    }

    @Test func `BOMB-09: unread answers are bounded in number`() async throws {
        let (channel, _) = try await refused { $0.mostWaitingFrames = 3 }
        #expect(await channel.violation() == .messageBudget(.unread, limit: 3))
    }

    @Test func `BOMB-09: unread answers are bounded in bytes`() async throws {
        let (channel, _) = try await refused { $0.mostWaitingBytes = 100 }
        #expect(await channel.violation() == .messageBudget(.unreadBytes, limit: 100))
    }

    @Test func `waiting frames are sent as soon as the extension reads and sends something`() async throws {
        let (channel, made) = try await refused { _ in }
        var writer = made
        let sent = channel.host.counters.framesSent
        // The peer has read everything, so it stores the host's position.
        channel.peer.store(UInt32(sent) * 64, at: RegionLayout.consumed)
        writer.send(RawPeer.frame(6))
        await eventually { channel.host.counters.framesSent == sent + 4 }
    }

    /// Runs a body on the loop's thread. No timer fires during the body.
    private func onLoop<Value: Sendable>(
        of channel: HostileChannel, _ body: @escaping @Sendable (HostEndpoint) -> Value
    ) async -> Value {
        await withCheckedContinuation { task in
            channel.loop.perform { [host = channel.host] in task.resume(returning: body(host)) }
        }
    }

    /// Fills the ring until there is no room.
    private static func fill(_ host: HostEndpoint) {
        while (try? host.sendAndWait(ChannelEvent(method: 1), timeout: .zero)) != nil {}
    }

    /// The peer has read everything, so it stores the host's position.
    private static func readAll(_ peer: RawPeer, of host: HostEndpoint) {
        peer.store(UInt32(truncatingIfNeeded: host.counters.framesSent) * 64, at: RegionLayout.consumed)
    }

    @Test func `an extension that read while its host stood still is not ended`() async throws {
        let channel = try HostileChannel {
            $0.hostCapacity = 4096
            $0.unreadLimit = .milliseconds(1)
        }
        var writer = RawWriter(channel.peer)
        try await channel.greet(&writer)
        let (frames, peer) = ([frame(1), frame(2)], channel.peer)
        let (sent, failure) = await onLoop(of: channel) { host in
            Self.fill(host)
            let before = host.counters.framesSent
            host.sender.sendSoon(frames[0].frame)
            let over = MonotonicClock.deadline(after: .milliseconds(2))
            // This is the subject of the test: no thread reads the position before the time is over.
            while MonotonicClock.now() < over {}
            Self.readAll(peer, of: host)
            host.sender.sendSoon(frames[1].frame)
            return (host.counters.framesSent - before, host.state.calls.withLock { $0.closed })
        }
        #expect(sent == 2 && failure == nil)
    }

    @Test func `frames of several threads leave in the order of each with and without room`() async throws {
        var configuration = ChannelConfiguration.patient
        configuration.hostCapacity = 4096
        configuration.unreadLimit = .patience
        configuration.mostWaitingFrames = 1_000_000
        configuration.mostWaitingBytes = 1 << 30
        let ends = try HostEndpoint.make(configuration: configuration)
        let host = ends.host
        let came = Came()
        let thread = ExtensionThread(ends.descriptors) { endpoint in
            try endpoint.sayHello()
            while let incoming = try endpoint.next() {
                guard case .event(let event) = consume incoming, event.method != ExtensionThread.endMethod else {
                    return
                }
                let number = WireBytes.number(event.payload, at: 0, as: UInt32.self) ?? .max
                came.numbers.withLock { $0[event.method, default: []].append(number) }
            }
        }
        _ = try await host.untilHello()
        let senders = (1...4).map { sender in
            ExtensionThread(raw: {
                for number in 0..<2000 as Range<UInt32> {
                    host.sender.sendSoon(
                        OutgoingFrame(
                            header: FrameHeader(kind: .event, method: UInt16(sender)), payload: WireBytes.bytes(number))
                    )
                }
            })
        }
        for sender in senders { sender.join() }
        await eventually { host.sender.outbox.withLock { $0.isEmpty } }
        host.finish(thread)
        let numbers = came.numbers.withLock { $0 }
        #expect(numbers.count == 4 && numbers.values.allSatisfy { $0 == Array(0..<2000) })
    }

    private final class Came: Sendable {
        let numbers = Mutex<[UInt16: [UInt32]]>([:])
    }

    @Test func `a frame that waits after the outbox was empty gets a new timer`() async throws {
        let channel = try HostileChannel { $0.hostCapacity = 4096 }
        var writer = RawWriter(channel.peer)
        try await channel.greet(&writer)
        let (frames, peer) = ([frame(1), frame(2)], channel.peer)
        await onLoop(of: channel) { host in
            Self.fill(host)
            host.sender.sendSoon(frames[0].frame)
        }
        await eventually { channel.host.sender.outbox.withLock { $0.pause } > .milliseconds(10) }
        let (wasEmpty, pause) = await onLoop(of: channel) { host in
            Self.readAll(peer, of: host)
            let wasEmpty = host.sender.flushOutbox()
            Self.fill(host)
            host.sender.sendSoon(frames[1].frame)
            return (wasEmpty, host.sender.outbox.withLock { $0.pause })
        }
        #expect(wasEmpty && pause == HostOutbox.shortestPause)
        // The new timer must fire, and then the waiting frame is sent.
        Self.readAll(peer, of: channel.host)
        await eventually { channel.host.sender.outbox.withLock { $0.isEmpty } }
    }
}
