import AnnexLinux
import AnnexTestSupport
import Glibc
import Synchronization
import Testing

@testable import AnnexChannel

/// Followers are threads that sleep while another thread, the leader, reads the ring for them. When a leader stops
/// reading, it wakes one follower, which becomes the new leader.
@Suite(.timeLimit(.minutes(20))) struct FollowerTests {
    /// In this test, a handler occupies the event loop's thread, so only a follower can read the answer. A sleeping
    /// follower also wakes by itself after a fixed time, `RingLeader.longestSleep`, and then checks the ring. So if
    /// the lead were not passed on, every answer would take at least that time.
    @Test func `a follower that gets the lead as its own call ends passes the lead on`() async throws {
        let channel = try HostileChannel()
        var writer = RawWriter(channel.peer)
        try await channel.greet(&writer)
        let mayGoOn = try channel.occupyLoop()
        defer {
            mayGoOn.open()
            withExtendedLifetime(channel) {}
        }
        // On a busy machine, a woken follower may run late. Then the answer may take as long as
        // `RingLeader.longestSleep` although the lead was passed on. So the test repeats the attempt until one answer
        // comes earlier.
        while try !isPassedOn(channel, &writer) { try Task.checkCancellation() }
    }

    /// Lets the leader stop reading while two followers sleep. The first follower becomes the new leader just as its
    /// own call ends. The answer for the second follower is already in the ring.
    /// - Returns: whether both followers ended before either of them could have slept for `RingLeader.longestSleep`.
    private func isPassedOn(_ channel: HostileChannel, _ writer: inout RawWriter) throws -> Bool {
        let host = channel.host
        let earliestEnd = MonotonicClock.deadline(after: RingLeader.longestSleep)
        let mayEnd = try Gate()
        let ended = try host.startAndWait(Request(method: 1))
        let answered = try host.startAndWait(Request(method: 1))
        let leader = ExtensionThread(raw: { host.leader.receiving.withLock { _ in try? mayEnd.wait() } })
        while host.leader.receiving.withLockIfAvailable({ _ in }) != nil { sched_yield() }
        let first = follower(of: ended, behind: [], host)
        let second = follower(of: answered, behind: [ended], host)
        writer.send(RawPeer.frame(3, [4], method: 1, call: answered.id))
        mayEnd.open()
        leader.join()
        passLead(asCallEnds: ended, host)
        first.join()
        second.join()
        let isInTime = MonotonicClock.now() < earliestEnd
        #expect(try answered.outcome().get().payload == [4])
        return isInTime
    }

    /// Starts a thread that waits for a call, and returns when that thread sleeps.
    /// - Parameter others: the calls of the followers that already sleep.
    private func follower(of call: ChannelCall, behind others: [ChannelCall], _ host: HostEndpoint) -> ExtensionThread {
        let number = ThreadNumber()
        let thread = ExtensionThread(raw: {
            number.set()
            _ = try? call.wait()
        })
        // The table must be checked before the thread's state. A thread that is in the table blocks only in its sleep
        // as a follower. Before that, it may block elsewhere.
        while !hasFollower(behind: others, host) || !number.isAsleep { usleep(100) }
        return thread
    }

    /// Whether the table of calls has a follower that waits for none of these calls.
    private func hasFollower(behind others: [ChannelCall], _ host: HostEndpoint) -> Bool {
        host.state.calls.withLock { table in
            var rest = table
            for call in others { rest.removeSleeper(call.id) }
            return rest.firstSleeper() != nil
        }
    }

    /// Wakes the first follower, as a leader does when it stops reading, and ends that follower's call. The woken
    /// follower needs the lock of the table before it can check its call. This function holds that lock until the
    /// call has ended.
    private func passLead(asCallEnds call: ChannelCall, _ host: HostEndpoint) {
        host.state.calls.withLock { table in
            table.firstSleeper()?.unpark()
            _ = table.removeCall(call.id)
            call.resolve(.failure(.cancelled))
        }
    }
}

/// The number of a thread. The thread itself stores it.
private final class ThreadNumber: Sendable {
    private let number = Atomic<UInt32>(0)

    func set() { number.store(RawFutex.thread, ordering: .sequentiallyConsistent) }

    /// Whether the thread sleeps in the kernel.
    var isAsleep: Bool {
        let file = "/proc/self/task/\(number.load(ordering: .sequentiallyConsistent))/stat"
        // The state follows the name, which is in parentheses.
        return ProcText.lines(of: file).first?.split(separator: ")").last?.split(separator: " ").first == "S"
    }
}
