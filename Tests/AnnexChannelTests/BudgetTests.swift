import AnnexLinux
import AnnexTestSupport
import Synchronization
import Testing

@testable import AnnexChannel

@Suite(.timeLimit(.minutes(20))) struct BudgetTests {
    @Test func `BOMB-08: a flood of bytes ends at the budget, after a warning`() async throws {
        let (warnings, warn) = AsyncStream.makeStream(of: ChannelViolation.MessageBudget.self)
        let channel = try HostileChannel(
            {
                $0.bytesPerSecond = 8192
                $0.budgetPeriod = .patience
            }, handlers: { $0.onPressure = { warn.yield($0) } })
        var writer = RawWriter(channel.peer)
        writer.sendHello()
        writer.send((0..<9).flatMap { _ in RawPeer.frame(6, [UInt8](repeating: 1, count: 1024)) })
        #expect(await channel.violation() == .messageBudget(.bytes, limit: 8192))
        var iterator = warnings.makeAsyncIterator()
        #expect(await iterator.next() == .bytes)
    }

    /// The peer never exceeds the budget of a second. Only the backlog of unhandled events grows.
    @Test(arguments: [(8, 1 << 20, 0), (1000, 8192, 1024)] as [(UInt32, UInt32, Int)])
    func `BOMB-08: the backlog of events that the host has not handled is bounded`(
        frames: UInt32, bytes: UInt32, payload: Int
    ) async throws {
        let channel = try HostileChannel {
            $0.framesPerSecond = frames
            $0.bytesPerSecond = bytes
            $0.budgetPeriod = .nanoseconds(1)
        }
        var writer = RawWriter(channel.peer)
        try await channel.greet(&writer)
        let event = RawPeer.frame(6, [UInt8](repeating: 1, count: payload))
        var heard = channel.events.makeAsyncIterator()
        for _ in 0..<2 {
            // The peer first sends as many events as may wait at once, and the loop's thread reads them together. Then
            // the peer sends the same number again.
            writer.send((0..<8).flatMap { _ in event })
            for _ in 0..<8 { _ = await heard.next() }
        }
        writer.send((0..<9).flatMap { _ in event })
        let expected: ChannelViolation =
            payload == 0 ? .messageBudget(.frames, limit: frames) : .messageBudget(.bytes, limit: bytes)
        #expect(await channel.violation() == expected)
    }

    @Test func `a budget warns once in each period`() {
        var budget = RateBudget(limit: 100)
        var warnings = 0
        for _ in 0..<100 {
            let isWithin = budget.spend(at: 5)
            if budget.mustWarn() { warnings += 1 }
            #expect(isWithin)
        }
        #expect(warnings == 1)
        let isBeyond = budget.spend(at: 5)
        let isNext = budget.spend(at: 1_000_000_005)
        #expect(!isBeyond && isNext && !budget.mustWarn())
    }

    @Test func `what was earned is lost with its period`() {
        var budget = RateBudget(limit: 5)
        budget.earn(100)
        // The first spending begins a period.
        let early = (0..<6).map { _ in budget.spend(at: 5) }
        #expect(early == [true, true, true, true, true, false])
        budget.earn(2)
        let later = (0..<3).map { _ in budget.spend(at: 6) }
        #expect(later == [true, true, false])
        let next = budget.spend(6, at: 1_000_000_005)
        #expect(!next)
        budget.earn(.max)
        budget.earn(.max)
        #expect(budget.allowed == .max)
    }

    /// The host makes many calls, and the extension reports its progress twice in each of them.
    @Test func `notices of an extension that answers its calls exceed no budget`() async throws {
        let (events, heard) = AsyncStream.makeStream(of: Void.self)
        let channel = try HostileChannel(
            {
                $0.framesPerSecond = 20
                $0.budgetPeriod = .patience
            }, handlers: { $0.onEvent = { _ in heard.yield() } })
        var writer = RawWriter(channel.peer)
        try await channel.greet(&writer)
        var iterator = events.makeAsyncIterator()
        for call in 1...100 as ClosedRange<UInt64> {
            let pending = try await channel.host.start(Request(method: 1))
            writer.send(RawPeer.frame(6) + RawPeer.frame(6) + RawPeer.frame(3, method: 1, call: call))
            _ = try await pending.value()
            for _ in 0..<2 { _ = await iterator.next() }
        }
        let isClosed = channel.host.state.isClosed.load(ordering: .acquiring)
        #expect(!isClosed)
        // Now the extension has earned 400 frames and has used 200 of them.
        writer.send((0..<221).flatMap { _ in RawPeer.frame(6) })
        #expect(await channel.violation() == .messageBudget(.frames, limit: 20))
    }

    @Test func `BOMB-08: notices earn no further notices`() async throws {
        let channel = try HostileChannel {
            $0.framesPerSecond = 20
            $0.budgetPeriod = .patience
        }
        var writer = RawWriter(channel.peer)
        try await channel.greet(&writer)
        let pending = try await channel.host.start(Request(method: 1))
        writer.send((0..<21).flatMap { _ in RawPeer.frame(6) })
        #expect(await channel.violation() == .messageBudget(.frames, limit: 20))
        await #expect(throws: CallFailure.self) { _ = try await pending.value() }
    }

    @Test func `a spending beyond the budget of a period is refused and later smaller ones count`() {
        var budget = RateBudget(limit: 5)
        let answers = [3, 3, 2, 1].map { budget.spend($0, at: 5) }
        #expect(answers == [true, false, true, false])
    }

    @Test func `BOMB-08: the flood of one extension leaves the calls of another alone`() async throws {
        // Both channels use one loop. The budget of the flooding channel ends the flood, and all calls of the other
        // channel are answered.
        let flooding = try HostileChannel {
            $0.framesPerSecond = 500
            $0.budgetPeriod = .patience
        }
        let ends = try HostEndpoint.make(configuration: .patient, eventLoop: flooding.loop)
        let host = ends.host
        let thread = ExtensionThread.echoing(ends.descriptors)
        let peer = flooding.peer
        let flood = Task {
            var writer = RawWriter(peer)
            writer.sendHello()
            writer.send((0..<700).flatMap { _ in RawPeer.frame(6, [1]) })
        }
        for index in 0..<500 {
            let payload = [UInt8(index % 256)]
            let answer = try await host.call(Request(method: 1, payload: payload), timeout: .patience).payload
            #expect(answer == payload)
        }
        await flood.value
        #expect(await flooding.violation() == .messageBudget(.frames, limit: 500))
        #expect(host.counters.lateReplies == 0)
        host.finish(thread)
    }
}
