import AnnexLinux
import AnnexTestSupport
import Glibc
import Synchronization
import Testing

@testable import AnnexChannel

/// A caller that polls for its own answer marks its request as attended. The answer to an attended request rings no
/// doorbell. If the caller gives up, its answer stays in the ring, and no other caller may wait because of it. A fault
/// shows as a hang, which the time limit ends.
@Suite(.timeLimit(.minutes(20))) struct AttendedTests {
    @Test(arguments: [WaitingStyle.adaptive, .block])
    func `callers that give up at any moment leave no other caller waiting`(_ waiting: WaitingStyle) async throws {
        var configuration = ChannelConfiguration.patient
        configuration.waiting = waiting
        configuration.framesPerSecond = .max
        let ends = try HostEndpoint.make(configuration: configuration)
        let host = ends.host
        let seed = SeededRandom.fresh()
        let thread = ExtensionThread(ends.descriptors) { endpoint in
            var random = SeededRandom(seed: seed)
            try endpoint.sayHello()
            try endpoint.serve { request in
                // The delays are about as long as the callers' limits. So answers come before, during and after the
                // moment at which the callers give up.
                if Bool.random(using: &random) { usleep(UInt32.random(in: 0..<200, using: &random)) }
                let payload = request.payload
                try request.reply(payload)
            }
        }
        let hasty = (0..<3).map { index in
            ExtensionThread(raw: {
                var random = SeededRandom(seed: seed &+ UInt64(index + 1))
                for turn in 0..<400 {
                    let limit = Duration.microseconds(Int.random(in: 0..<400, using: &random))
                    do throws(CallFailure) {
                        let answer =
                            turn % 2 == 0
                            ? try ask(host, 1, [UInt8(index)], timeout: limit)
                            : try host.callAndWait(Request(method: 1, payload: [UInt8(index)]), timeout: limit).payload
                        #expect(answer == [UInt8(index)])
                    } catch {
                        #expect(error == .deadlineExceeded, "seed \(seed)")
                    }
                }
            })
        }
        try await withThrowingTaskGroup { group in
            for index in 10..<13 {
                group.addTask {
                    for _ in 0..<200 {
                        let answer = try await host.call(Request(method: 1, payload: [UInt8(index)])).payload
                        #expect(answer == [UInt8(index)], "seed \(seed)")
                    }
                }
            }
            try await group.waitForAll()
        }
        for caller in hasty { caller.join() }
        #expect(try ask(host, 1, [99]) == [99])
        host.finish(thread)
    }

    /// The mark of an attended request on the wire, and the calls that have this mark.
    @Test func `only a request whose sender polls until the answer comes is marked as attended`() async throws {
        let channel = try HostileChannel()
        var writer = RawWriter(channel.peer)
        try await channel.greet(&writer)
        let (host, peer) = (channel.host, channel.peer)
        let attended = UInt8(FrameMarks.attended.rawValue)
        func mark(at position: Int) -> UInt8 {
            (peer.host.start + RegionLayout.ring + position).load(fromByteOffset: 1, as: UInt8.self) & attended
        }
        // A task that suspends before its answer comes needs the doorbell.
        let call = try await host.start(Request(method: 1))
        #expect(mark(at: 0) == 0)
        // A thread that starts a call and does not wait for it needs the doorbell too.
        let other = try startOnThread(host)
        #expect(mark(at: 64) == 0)
        let caller = ExtensionThread(raw: { _ = try? host.callAndWait(Request(method: 1)) })
        while peer.load(host: RegionLayout.ring + 128) == 0 { usleep(100) }
        #expect(mark(at: 128) == attended)
        for pending in [call, other] { pending.cancel() }
        host.end(with: "over")
        caller.join()
    }

    @Test func `requests of tasks are attended if the extension rings for suspended tasks`() async throws {
        let channel = try HostileChannel()
        var writer = RawWriter(channel.peer)
        writer.send(
            RawPeer.frame(
                1,
                WireBytes.bytes(WireFormat.magic) + WireBytes.bytes(WireFormat.version)
                    + WireBytes.bytes(WireFeatures.everyDoorbell.rawValue)))
        let (host, peer) = (channel.host, channel.peer)
        _ = try await host.untilHello()
        for _ in 0..<2 { await withCheckedContinuation { turn in channel.loop.execute { turn.resume() } } }
        for round in 0..<3 as Range<UInt64> {
            let call = Task { try await host.call(Request(method: 1)).payload }
            await eventually { host.state.attendedCalls.load(ordering: .relaxed) == 1 }
            await eventually {
                ReceiverState.isDoorbell(peer.load(host: RegionLayout.receiver), isAttended: true)
            }
            writer.send(RawPeer.frame(3, [4], method: 1, call: 1 << 63 | (round * 2 + 1)))
            #expect(try await call.value == [4])
            // No caller has suspended, so the answers to callers that poll ring no doorbell.
            await eventually {
                let state = peer.load(host: RegionLayout.receiver)
                return ReceiverState.isDoorbell(state) && !ReceiverState.isDoorbell(state, isAttended: true)
            }
        }
        let mark = (peer.host.start + RegionLayout.ring).load(fromByteOffset: 1, as: UInt8.self)
        #expect(mark & FrameMarks.attended.rawValue != 0)
    }

    private func startOnThread(_ host: HostEndpoint) throws -> ChannelCall { try host.startAndWait(Request(method: 1)) }
}
