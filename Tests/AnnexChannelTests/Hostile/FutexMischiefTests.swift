import AnnexLinux
import AnnexTestSupport
import Glibc
import Synchronization
import Testing

@testable import AnnexChannel

/// A peer misuses futex calls on words on which the host sleeps. In `HostilePeerTests`, the peer moves a sleeper for frames to another
/// word, and wakes another sleeper without a frame.
@Suite(.timeLimit(.minutes(20))) struct FutexMischiefTests {
    /// A host whose ring is full and whose caller sleeps until there is room.
    private final class Full: Sendable {
        let channel: HostileChannel
        private let caller: ExtensionThread
        private let outcome: Box<CallFailure>

        init(_ change: (inout ChannelConfiguration) -> Void = { _ in }) throws {
            channel = try HostileChannel {
                $0.hostCapacity = 4096
                $0.waiting = .block
                change(&$0)
            }
            let outcome = Box<CallFailure>(Mutex(nil))
            self.outcome = outcome
            let host = channel.host
            caller = ExtensionThread(raw: {
                do throws(CallFailure) {
                    // More messages than any ring of this size holds.
                    for _ in 0..<6 {
                        try host.sendAndWait(ChannelEvent(method: 1, payload: [UInt8](repeating: 0, count: 1000)))
                    }
                } catch {
                    outcome.value.withLock { $0 = error }
                }
            })
        }

        /// The word on which the host sleeps.
        var bed: UnsafeMutableRawPointer { channel.peer.region.start + RegionLayout.consumed }

        /// The reason why the host could not send; nil if it could.
        func join() -> CallFailure? {
            caller.join()
            return outcome.value.withLock { $0 }
        }
    }

    @Test func `IPC-06: a sender that the peer moves to another word still finds room`() throws {
        let full = try Full()
        while RawFutex.requeue(full.bed, to: full.channel.peer.region.start + 2048) != 1 { sched_yield() }
        // An honest reader does the same, but here the wake-up reaches no sleeper.
        full.channel.peer.store(1024, at: RegionLayout.consumed)
        WritableWord(full.bed.assumingMemoryBound(to: UInt32.self)).wake()
        full.channel.peer.store(3072, at: RegionLayout.consumed)
        #expect(full.join() == nil)
    }

    @Test func `IPC-06: a sender that the peer moves to another word still ends with the channel`() throws {
        let full = try Full()
        while RawFutex.requeue(full.bed, to: full.channel.peer.region.start + 2048) != 1 { sched_yield() }
        full.channel.host.end(with: "over")
        #expect(full.join() == .ended(reason: "over"))
    }

    @Test func `BOMB-08: sleeps that end early cost wake-ups until a frame is read`() throws {
        var configuration = ChannelConfiguration.patient
        configuration.futileWakeUpsPerSecond = 3
        configuration.budgetPeriod = .patience
        let capacity = configuration.extensionCapacity
        let size = RegionLayout.size(capacity: capacity)
        let memory = try Descriptor.memfd("annex-sleeps", size: Int64(size))
        let own = OwnRegion(try Mapping(memory, size: size, writable: true), capacity: capacity)
        let peer = PeerRegion(try Mapping(memory, size: size, writable: false), capacity: capacity)
        var writer = RingWriter(ring: own.ring, consumed: peer.consumed)
        var receiver = HostReceiver(own: own, peer: peer, configuration: configuration)
        // A wake-up that a frame follows does not count against the budget.
        for call in UInt64(1)...50 {
            writer.write(FrameHeader(kind: .event, call: call))
            _ = writer.publish()
            try receiver.recordWakeUp()
            let frame = try receiver.reader.next()
            #expect(frame?.call == call)
        }
        // The last of these wake-ups cannot be counted yet.
        for _ in 0..<4 { try receiver.recordWakeUp() }
        var failure: ChannelViolation?
        do throws(ChannelViolation) { try receiver.recordWakeUp() } catch { failure = error }
        #expect(failure == .messageBudget(.wakeUps, limit: 3))
    }

    @Test func `BOMB-08: waking a sender without making room ends at the budget`() async throws {
        let full = try Full {
            $0.futileWakeUpsPerSecond = 50
            $0.budgetPeriod = .patience
        }
        let word = WritableWord(full.bed.assumingMemoryBound(to: UInt32.self))
        while !full.channel.host.state.isClosed.load(ordering: .relaxed) { word.wake() }
        #expect(full.join() == .violated(.messageBudget(.wakeUps, limit: 50)))
        #expect(await full.channel.violation() == .messageBudget(.wakeUps, limit: 50))
    }

    /// Puts a waiter of another kind on the word on which the host's caller sleeps. Neither the peer nor the host can wake this waiter.
    private func lockedBed(_ body: (HostileChannel, RawWriter) async throws -> Void) async throws {
        let channel = try HostileChannel { $0.waiting = .block }
        var writer = RawWriter(channel.peer)
        try await channel.greet(&writer)
        let bed = channel.peer.region.start + channel.peer.place(writer.position)
        let peer = channel.peer
        let position = writer.position
        let mayGo = try Gate()
        let owner = Owner()
        let holder = ExtensionThread(raw: {
            owner.number.store(RawFutex.thread, ordering: .sequentiallyConsistent)
            try? mayGo.wait()
        })
        while owner.number.load(ordering: .sequentiallyConsistent) == 0 { sched_yield() }
        // No doorbell rings, so the host does not read while the word holds a thread's number.
        peer.header(at: position).storeRelease(owner.number.load(ordering: .relaxed))
        let waiter = ExtensionThread(raw: { RawFutex.lock(peer.region.start + peer.place(position)) })
        while peer.header(at: position).wake() >= 0 { sched_yield() }
        bed.storeBytes(of: 0, as: UInt32.self)
        try await body(channel, writer)
        mayGo.open()
        holder.join()
        waiter.join()
    }

    private final class Owner: Sendable {
        let number = Atomic<UInt32>(0)
    }

    @Test func `IPC-06: a caller whose word takes no wake-up still finds its answer`() async throws {
        try await lockedBed { channel, writer in
            var writer = writer
            let host = channel.host
            let caller = ExtensionThread(raw: {
                #expect((try? host.callAndWait(Request(method: 1)).payload) == [4])
            })
            while host.counters.sleeps == 0 { usleep(100) }
            #expect(channel.peer.header(at: writer.position).wake() == -EINVAL)
            writer.send(RawPeer.frame(3, [4], method: 1, call: 1 << 63 | 1))
            caller.join()
        }
    }

    @Test func `IPC-06: a caller whose word takes no wake-up still ends with the channel`() async throws {
        try await lockedBed { channel, writer in
            let host = channel.host
            let caller = ExtensionThread(raw: {
                #expect(throws: CallFailure.ended(reason: "over")) { try host.callAndWait(Request(method: 1)) }
            })
            while host.counters.sleeps == 0 { usleep(100) }
            host.end(with: "over")
            caller.join()
        }
    }

    @Test func `IPC-06: a peer that makes wake-ups of the host fail harms only itself`() async throws {
        let channel = try HostileChannel { $0.waiting = .block }
        var writer = RawWriter(channel.peer)
        try await channel.greet(&writer)
        let peer = channel.peer
        // The peer claims to sleep, so the host wakes it with every frame.
        peer.store(ReceiverState.asleep, at: RegionLayout.receiver)
        let bed = peer.host.start + RegionLayout.ring
        let sleeper = ExtensionThread(raw: {
            RawFutex.waitForLock(peer.host.start + RegionLayout.ring, peer.region.start + 2048)
        })
        let word = WritableWord(bed.assumingMemoryBound(to: UInt32.self))
        while word.wake() >= 0 { sched_yield() }
        let call = try await channel.host.start(Request(method: 1))
        #expect(channel.host.counters.wakeUpsSent == 1)
        writer.send(RawPeer.frame(3, [4], method: 1, call: 1))
        #expect(try await call.value().payload == [4])
        #expect(RawFutex.release(bed, peer.region.start + 2048) == 1)
        sleeper.join()
    }
}
