import AnnexLinux
import AnnexTestSupport
import Glibc
import Synchronization
import Testing

@testable import AnnexChannel

/// In each test, a peer breaks one rule. The host must name the rule, close the channel, and continue to run.
@Suite(.timeLimit(.minutes(20))) struct HostilePeerTests {
    @Test(arguments: [32_769, 65_536, 1 << 31, UInt32.max, UInt32.max - 15] as [UInt32])
    func `BOMB-09, IPC-05: a length beyond half the ring is refused before memory is taken`(_ length: UInt32)
        async throws
    {
        let channel = try HostileChannel()
        channel.peer.publish(RawPeer.header(length: length, kind: 1), at: 0)
        #expect(await channel.violation() == .length(UInt64(length), room: 32_768))
    }

    @Test func `IPC-05: frames that follow one another for ever end at the budget`() async throws {
        let channel = try HostileChannel { $0.budgetPeriod = .patience }
        var writer = RawWriter(channel.peer)
        writer.sendHello()
        // Every place of the ring holds an answer that belongs to no open call, so the host can read the ring without
        // end.
        let frame = RawPeer.frame(3, method: 1, call: 1)
        let call = try await channel.host.start(Request(method: 1))
        writer.send((0..<1022).flatMap { _ in frame })
        channel.peer.write(frame, at: 1023 * 64)
        channel.peer.write(frame, at: 0)
        try channel.peer.control.send(WireFormat.doorbell)
        _ = try await call.value()
        #expect(await channel.violation() == .messageBudget(.frames, limit: 1000))
    }

    @Test(arguments: [(31, 31), (45, 45), (63, 63), (0x40 | 31, 31), (0x80 | 16, 16), (255, 63)] as [(UInt8, UInt8)])
    func `a frame of an unknown kind is refused wherever it claims to lie`(_ byte: UInt8, _ kind: UInt8) async throws {
        let channel = try HostileChannel()
        var writer = RawWriter(channel.peer)
        writer.send(RawPeer.frame(byte))
        #expect(await channel.violation() == .unknownKind(kind))
    }

    @Test(arguments: [7] as [UInt8])
    func `a frame of a kind that only a host sends is refused`(_ kind: UInt8) async throws {
        let channel = try HostileChannel()
        var writer = RawWriter(channel.peer)
        writer.sendHello()
        writer.send(RawPeer.frame(kind, [UInt8](repeating: 0, count: 24)))
        #expect(await channel.violation() == .unexpectedKind(kind))
    }

    @Test func `START-05: a frame before the hello is refused`() async throws {
        let channel = try HostileChannel()
        var writer = RawWriter(channel.peer)
        writer.send(RawPeer.frame(6))
        #expect(await channel.violation() == .noHello(kind: 6))
    }

    @Test(arguments: [0, 8, 15, 17])
    func `START-05: a hello of a wrong length is refused`(_ length: Int) async throws {
        let channel = try HostileChannel()
        var writer = RawWriter(channel.peer)
        let whole = RawPeer.hello.dropFirst(16) + [0]
        writer.send(RawPeer.frame(1, Array(whole.prefix(length))))
        #expect(await channel.violation() == .malformedHello(length: length))
        await #expect(throws: CallFailure.violated(.malformedHello(length: length))) {
            _ = try await channel.host.untilHello()
        }
    }

    @Test func `START-05: a second hello is refused`() async throws {
        let channel = try HostileChannel()
        var writer = RawWriter(channel.peer)
        writer.sendHello()
        writer.sendHello()
        #expect(await channel.violation() == .secondHello)
    }

    @Test func `START-05: a hello of another wire version is refused`() async throws {
        let channel = try HostileChannel()
        var writer = RawWriter(channel.peer)
        writer.send(
            RawPeer.frame(
                1, WireBytes.bytes(WireFormat.magic) + WireBytes.bytes(UInt32(3)) + WireBytes.bytes(UInt64(0))))
        #expect(await channel.violation() == .wireVersion(3))
    }

    @Test(arguments: [0, 1, 2, UInt64.max])
    func `IPC-08: an answer to a call that was never made is refused`(_ call: UInt64) async throws {
        let channel = try HostileChannel()
        var writer = RawWriter(channel.peer)
        writer.sendHello()
        writer.send(RawPeer.frame(3, call: call))
        #expect(await channel.violation() == .unknownCall(call))
    }

    @Test func `IPC-08: an answer of another method is refused and ends its call`() async throws {
        let channel = try HostileChannel()
        var writer = RawWriter(channel.peer)
        writer.sendHello()
        let call = try await channel.host.start(Request(method: 7))
        writer.send(RawPeer.frame(3, method: 8, call: 1))
        let expected = ChannelViolation.wrongMethod(call: 1, 8, asked: 7)
        #expect(await channel.violation() == expected)
        await #expect(throws: CallFailure.violated(expected)) { _ = try await call.value() }
    }

    @Test func `IPC-08: a pong as the answer to a request is refused`() async throws {
        let channel = try HostileChannel()
        var writer = RawWriter(channel.peer)
        writer.sendHello()
        let call = try await channel.host.start(Request(method: 0))
        writer.send(RawPeer.frame(8, call: 1))
        #expect(await channel.violation() == .unexpectedKind(8))
        await #expect(throws: CallFailure.violated(.unexpectedKind(8))) { _ = try await call.value() }
    }

    @Test func `a failure without a code is refused`() async throws {
        let channel = try HostileChannel()
        var writer = RawWriter(channel.peer)
        writer.sendHello()
        _ = try await channel.host.start(Request(method: 0))
        writer.send(RawPeer.frame(4, [1, 2, 3], call: 1))
        #expect(await channel.violation() == .malformed(kind: 4, length: 3))
    }

    @Test func `waking the host without a message ends at the budget`() async throws {
        let channel = try HostileChannel {
            $0.futileWakeUpsPerSecond = 5
            $0.budgetPeriod = .patience
            $0.waiting = .block
        }
        let (host, peer) = (channel.host, channel.peer)
        var writer = RawWriter(peer)
        writer.sendHello()
        let caller = ExtensionThread(raw: {
            #expect(throws: CallFailure.violated(.messageBudget(.wakeUps, limit: 5))) {
                _ = try host.callAndWait(Request(method: 1))
            }
        })
        let word = peer.header(at: writer.position)
        while !host.state.isClosed.load(ordering: .relaxed) { word.wake() }
        caller.join()
        #expect(await channel.violation() == .messageBudget(.wakeUps, limit: 5))
    }

    @Test func `ringing at every request of the host without a message ends at the budget`() async throws {
        let channel = try HostileChannel {
            $0.futileWakeUpsPerSecond = 50
            $0.budgetPeriod = .patience
        }
        let (host, peer) = (channel.host, channel.peer)
        var writer = RawWriter(peer)
        try await channel.greet(&writer)
        let ringer = ExtensionThread(raw: {
            var rung: UInt32 = 0
            while !host.state.isClosed.load(ordering: .relaxed) {
                let asked = peer.load(host: RegionLayout.receiver)
                guard ReceiverState.isDoorbell(asked), asked != rung else {
                    sched_yield()
                    continue
                }
                rung = asked
                try? peer.control.send(WireFormat.doorbell)
            }
        })
        #expect(await channel.violation() == .messageBudget(.wakeUps, limit: 50))
        ringer.join()
    }

    @Test func `a violation is the last report that the host gives of the extension`() async throws {
        let (told, tell) = AsyncStream.makeStream(of: String.self)
        let channel = try HostileChannel(handlers: { handlers in
            handlers.onEvent = { _ in tell.yield("event") }
            handlers.onViolation = { _ in tell.yield("violation") }
        })
        var writer = RawWriter(channel.peer)
        try await channel.greet(&writer)
        // This event is read while another thread finds the violation.
        channel.host.leader.receiving.withLock { receiver in
            let frame = Frame(
                kind: .event, descriptors: 0, isAttended: false, method: 1, call: 0, terms: RequestTerms(), payload: [])
            channel.host.state.close(for: .unknownKind(99))
            try? channel.host.leader.handle(frame, receiver: &receiver)
        }
        channel.loop.execute { tell.yield("end") }
        var heard: [String] = []
        for await word in told {
            if word == "end" { break }
            heard.append(word)
        }
        #expect(heard == ["violation"])
    }

    @Test func `IPC-06: a peer that moves a sleeping host to its own word cannot keep it asleep`() async throws {
        let channel = try HostileChannel { $0.waiting = .block }
        let (host, peer) = (channel.host, channel.peer)
        var writer = RawWriter(peer)
        try await channel.greet(&writer)
        for round in 0..<2 {
            let caller = ExtensionThread(raw: {
                #expect(throws: CallFailure.self) { _ = try host.callAndWait(Request(method: 1)) }
            })
            let bed = peer.region.start + peer.place(writer.position)
            while RawFutex.requeue(bed, to: peer.region.start + 2048) != 1 {
                sched_yield()
            }
            if round == 0 {
                // The sleeping thread wakes by itself after a while and finds the answer.
                writer.send(RawPeer.frame(4, [0, 0, 0, 0], method: 1, call: 1 << 63 | 1))
            } else {
                host.end(with: "over")
            }
            caller.join()
        }
    }

    @Test func `IPC-08: late and double answers are harmless and counted`() async throws {
        let channel = try HostileChannel()
        var writer = RawWriter(channel.peer)
        writer.sendHello()
        let answered = try await channel.host.start(Request(method: 7))
        let cancelled = try await channel.host.start(Request(method: 7))
        cancelled.cancel()
        for call in [1, 1, 1, 2, 2] as [UInt64] { writer.send(RawPeer.frame(3, [9], method: 7, call: call)) }
        #expect(try await answered.value().payload == [9])
        await #expect(throws: CallFailure.cancelled) { _ = try await cancelled.value() }
        writer.send(RawPeer.frame(6, [1], method: 3))
        var events = channel.events.makeAsyncIterator()
        #expect(await events.next() == ChannelEvent(method: 3, payload: [1]))
        #expect(channel.host.counters.lateReplies == 4)
    }

    @Test(arguments: [8, 32, 16_448, 65_600, UInt32.max - 63] as [UInt32])
    func `a consumed position beyond the written frames is refused`(_ position: UInt32) async throws {
        let channel = try HostileChannel()
        channel.peer.store(position, at: RegionLayout.consumed)
        // The host trusts its own count until it reads the extension's position.
        #expect(throws: CallFailure.violated(.consumed(step: UInt64(position), unread: 16_384))) {
            while true {
                try channel.host.sendAndWait(ChannelEvent(method: 1, payload: [UInt8](repeating: 0, count: 16_368)))
            }
        }
    }

    @Test func `BOMB-08: events that the host does not handle are bounded too`() async throws {
        let mayGoOn = try Gate()
        var configuration = ChannelConfiguration.patient
        configuration.framesPerSecond = 100
        // Each event falls into a separate budget period. So only the number of unhandled events is limited.
        configuration.budgetPeriod = .nanoseconds(1)
        var handlers = ChannelHandlers()
        handlers.onEvent = { _ in try? mayGoOn.wait() }
        let loop = try EventLoop()
        let ends = try HostEndpoint.make(configuration: configuration, handlers: handlers, eventLoop: loop)
        let host = ends.host
        let peer = try RawPeer(ends.descriptors)
        var writer = RawWriter(peer)
        writer.sendHello()
        // The handler of the first event keeps the loop's thread busy, so the waiting caller reads the other events.
        #expect(throws: CallFailure.violated(.messageBudget(.frames, limit: 100))) {
            let call: ChannelCall = try host.startAndWait(Request(method: 1))
            writer.send((0..<300).flatMap { _ in RawPeer.frame(6) })
            _ = try call.wait()
        }
        for _ in 0..<300 { mayGoOn.open() }
        host.end(with: "over")
        loop.shutDown()
    }

    @Test func `BOMB-08: a flood of events ends at the budget`() async throws {
        let channel = try HostileChannel {
            $0.framesPerSecond = 50
            $0.budgetPeriod = .patience
        }
        var writer = RawWriter(channel.peer)
        writer.sendHello()
        writer.send((0..<200).flatMap { _ in RawPeer.frame(6) })
        #expect(await channel.violation() == .messageBudget(.frames, limit: 50))
    }

    @Test func `FD-03: a flood of control messages ends at the budget`() async throws {
        let channel = try HostileChannel {
            $0.controlMessagesPerSecond = 20
            $0.budgetPeriod = .patience
        }
        // All events come while the host is busy. If a peer rings only as often as the host asks, it stays within the
        // budget.
        while !channel.host.state.isClosed.load(ordering: .relaxed) {
            let mayRead = try Gate()
            await withCheckedContinuation { turn in
                channel.loop.execute {
                    turn.resume()
                    try? mayRead.wait()
                }
            }
            for _ in 0..<5 { try? channel.peer.control.send(WireFormat.doorbell) }
            mayRead.open()
        }
        #expect(await channel.violation() == .messageBudget(.control, limit: 20))
    }

    @Test(arguments: [2, 15, 16, 17, 4096])
    func `control messages that are neither doorbell nor hand-over are refused`(_ length: Int) async throws {
        let channel = try HostileChannel()
        try channel.peer.control.send([UInt8](repeating: 7, count: length))
        #expect(await channel.violation() == .malformedControl(length: min(length, 16), descriptors: 0))
    }

    enum Silence: CaseIterable {
        case onlyEmpty, withJunk, thenNoMore, twiceThenNoMore
    }

    @Test(arguments: Silence.allCases)
    func `IPC-10: an empty control message of a living peer is a violation`(_ silence: Silence) async throws {
        let channel = try HostileChannel()
        var writer = RawWriter(channel.peer)
        try await channel.greet(&writer)
        let socket = channel.peer.control.descriptor.number
        // The host reads nothing before all messages have arrived.
        let mayRead = try channel.occupyLoop()
        for _ in 0..<(silence == .twiceThenNoMore ? 2 : 1) { try channel.peer.control.send([]) }
        if silence == .withJunk { try channel.peer.control.send([7, 7]) }
        if silence == .thenNoMore || silence == .twiceThenNoMore { shutdown(socket, Int32(SHUT_WR)) }
        mayRead.open()
        #expect(await channel.violation() == .malformedControl(length: 0, descriptors: 0))
    }

    @Test func `a peer that only closes its end breaks no rule`() async throws {
        let (closings, closed) = AsyncStream.makeStream(of: Void.self)
        let channel = try HostileChannel(handlers: { $0.onPeerClosed = { closed.yield() } })
        var writer = RawWriter(channel.peer)
        try await channel.greet(&writer)
        shutdown(channel.peer.control.descriptor.number, Int32(SHUT_WR))
        for await _ in closings { break }
        let isClosed = channel.host.state.isClosed.load(ordering: .acquiring)
        #expect(!isClosed)
    }

    @Test func `BOMB-11: callers get a named error when a peer never reads`() async throws {
        let channel = try HostileChannel {
            $0.sendLimit = .milliseconds(30)
            $0.hostCapacity = 4096
        }
        #expect(throws: CallFailure.noRoom) {
            while true {
                try channel.host.sendAndWait(ChannelEvent(method: 1, payload: [UInt8](repeating: 0, count: 1000)))
            }
        }
        await #expect(throws: CallFailure.noRoom) {
            _ = try await channel.host.call(Request(method: 1, payload: [UInt8](repeating: 0, count: 1000)))
        }
        #expect(throws: CallFailure.deadlineExceeded) {
            _ = try channel.host.callAndWait(
                Request(method: 1, payload: [UInt8](repeating: 0, count: 1000)), timeout: .milliseconds(5))
        }
    }

    @Test func `the deadline of a call also limits its wait for room`() async throws {
        let channel = try HostileChannel {
            $0.sendLimit = .milliseconds(1)
            $0.hostCapacity = 4096
        }
        let payload = [UInt8](repeating: 0, count: 1000)
        #expect(throws: CallFailure.noRoom) {
            while true { try channel.host.sendAndWait(ChannelEvent(method: 1, payload: payload)) }
        }
        #expect(throws: CallFailure.deadlineExceeded) {
            _ = try channel.host.callAndWait(Request(method: 1, payload: payload), timeout: .milliseconds(50))
        }
        await #expect(throws: CallFailure.deadlineExceeded) {
            _ = try await channel.host.call(Request(method: 1, payload: payload), timeout: .milliseconds(50))
        }
    }

    struct Missed: Error {}
}
