import AnnexLinux
import AnnexTestSupport
import Glibc
import Synchronization
import Testing

@testable import AnnexChannel

/// An executor with a thread that reads one channel while it has no task to run. A lost wake-up causes a hang, which
/// the time limit ends.
@Suite(.timeLimit(.minutes(20))) struct DedicatedExecutorTests {
    /// A hostile channel whose dedicated thread sleeps.
    private func sleeping(
        _ change: (inout ChannelConfiguration) -> Void = { _ in }
    ) async throws -> (HostileChannel, RawWriter, ChannelExecutor) {
        let channel = try HostileChannel(change)
        var writer = RawWriter(channel.peer)
        try await channel.greet(&writer)
        let executor = try ChannelExecutor(dedicatedTo: channel.host)
        await isAsleep(channel)
        return (channel, writer, executor)
    }

    private func isAsleep(_ channel: HostileChannel) async {
        await eventually { channel.peer.load(host: RegionLayout.receiver) == ReceiverState.asleep }
    }

    @Test func `a suspended call is answered while the event loop is occupied`() async throws {
        var (channel, writer, executor) = try await sleeping()
        let mayGoOn = try channel.occupyLoop()
        defer {
            mayGoOn.open()
            withExtendedLifetime((channel, executor)) {}
        }
        let host = channel.host
        for turn in UInt64(1)...20 {
            let sleeps = host.counters.sleeps
            let call = Task(executorPreference: executor) { try await host.call(Request(method: 1)).payload }
            await eventually { host.counters.sleeps > sleeps }
            await isAsleep(channel)
            // No doorbell rings. After a call that was suspended, one call number is skipped.
            let answer = RawPeer.frame(3, [UInt8(turn)], method: 1, call: 1 << 63 | (turn * 2 - 1))
            channel.peer.show(answer, at: writer.position)
            channel.peer.header(at: writer.position).wake()
            writer.position &+= UInt32(answer.count)
            #expect(try await call.value == [UInt8(turn)])
        }
    }

    @Test func `no task that is handed to a sleeping thread is lost`() async throws {
        let (channel, _, executor) = try await sleeping()
        for turn in 0..<5000 {
            #expect(await Task(executorPreference: executor) { turn }.value == turn)
        }
        withExtendedLifetime(channel) {}
    }

    @Test func `tasks and threads get their answers while an executor leads`() async throws {
        let ends = try HostEndpoint.make(configuration: .patient)
        let host = ends.host
        let thread = ExtensionThread.echoing(ends.descriptors, waiting: .block)
        let executor = try ChannelExecutor(dedicatedTo: host)
        let callers = (0..<2).map { index in
            ExtensionThread(raw: {
                for turn in 0..<300 {
                    let payload = [UInt8(truncatingIfNeeded: index ^ turn)]
                    #expect((try? host.callAndWait(Request(method: 1, payload: payload)).payload) == payload)
                    #expect((try? ask(host, 1, payload)) == payload)
                }
            })
        }
        try await withThrowingTaskGroup { group in
            for preference: ChannelExecutor? in [executor, executor, nil, host.executor] {
                group.addTask(executorPreference: preference) {
                    for turn in 0..<300 {
                        let payload = [UInt8(truncatingIfNeeded: turn)]
                        let limit: Duration? = turn % 2 == 0 ? .patience : nil
                        let answer = try await host.call(Request(method: 1, payload: payload), timeout: limit).payload
                        #expect(answer == payload)
                    }
                }
            }
            try await group.waitForAll()
        }
        for caller in callers { caller.join() }
        host.finish(thread)
        withExtendedLifetime(executor) {}
    }

    @Test func `a deadline holds for a task of a thread that sleeps`() async throws {
        let (channel, _, executor) = try await sleeping()
        let host = channel.host
        let call = Task(executorPreference: executor) {
            try await host.call(Request(method: 1), timeout: .milliseconds(10))
        }
        await #expect(throws: CallFailure.deadlineExceeded) { _ = try await call.value }
    }

    @Test func `IPC-06: a thread that the peer moves to another word still runs tasks`() async throws {
        let (channel, writer, executor) = try await sleeping()
        let peer = channel.peer
        let bed = peer.region.start + peer.place(writer.position)
        for turn in 0..<20 {
            while RawFutex.requeue(bed, to: peer.region.start + 2048) != 1 { sched_yield() }
            #expect(await Task(executorPreference: executor) { turn }.value == turn)
        }
    }

    @Test func `IPC-06: a thread that the peer moves to another word still ends with the channel`() async throws {
        let (channel, writer, executor) = try await sleeping()
        let (host, peer) = (channel.host, channel.peer)
        let sleeps = host.counters.sleeps
        let call = Task(executorPreference: executor) { try await host.call(Request(method: 1)) }
        await eventually { host.counters.sleeps > sleeps }
        let bed = peer.region.start + peer.place(writer.position)
        while RawFutex.requeue(bed, to: peer.region.start + 2048) != 1 { sched_yield() }
        host.end(with: "over")
        await #expect(throws: CallFailure.ended(reason: "over")) { _ = try await call.value }
        #expect(await Task(executorPreference: executor) { true }.value)
    }

    @Test func `BOMB-08: waking the thread for nothing ends at the budget`() async throws {
        let (channel, writer, executor) = try await sleeping {
            $0.futileWakeUpsPerSecond = 50
            $0.budgetPeriod = .patience
        }
        let word = channel.peer.header(at: writer.position)
        while !channel.host.state.isClosed.load(ordering: .relaxed) { word.wake() }
        #expect(await channel.violation() == .messageBudget(.wakeUps, limit: 50))
        withExtendedLifetime(executor) {}
    }

    @Test func `BOMB-08: messages that no call awaits end at the budget while the thread leads`() async throws {
        var (channel, writer, executor) = try await sleeping {
            $0.framesPerSecond = 50
            $0.budgetPeriod = .patience
        }
        for _ in 0..<60 { writer.send(RawPeer.frame(6)) }
        #expect(await channel.violation() == .messageBudget(.frames, limit: 50))
        withExtendedLifetime(executor) {}
    }

    @Test func `a channel has one dedicated executor at a time`() async throws {
        let (channel, _, executor) = try await sleeping()
        #expect { _ = try ChannelExecutor(dedicatedTo: channel.host) } throws: { ($0 as? SystemError)?.errno == EBUSY }
        withExtendedLifetime(executor) {}
        let (other, _, first) = try await sleeping()
        _ = consume first
        let second = try ChannelExecutor(dedicatedTo: other.host)
        #expect(await Task(executorPreference: second) { true }.value)
    }

    /// The thread holds the channel as long as the thread runs.
    @Test func `the thread ends with its executor`() async throws {
        weak var leader: RingLeader?
        do {
            let ends = try HostEndpoint.make(configuration: .patient)
            leader = ends.host.leader
            let executor = try ChannelExecutor(dedicatedTo: ends.host)
            #expect(await Task(executorPreference: executor) { true }.value)
            #expect(leader != nil)
        }
        await eventually { leader == nil }
    }
}
