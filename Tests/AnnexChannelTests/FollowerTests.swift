import AnnexLinux
import AnnexTestSupport
import Glibc
import Synchronization
import Testing

@testable import AnnexChannel

/// Followers are threads that sleep while another thread, the leader, reads the ring for them. When a leader stops
/// reading, it wakes one follower, which becomes the new leader.
@Suite(.timeLimit(.minutes(20))) struct FollowerTests {
    /// A handler occupies the event loop's thread, so only a follower can read the answer. Each follower also checks
    /// the ring at the end of its longest sleep. So if no follower became the leader, every answer would take at
    /// least as long as that sleep.
    @Test func `a follower that gets the lead as its own call ends passes the lead on`() async throws {
        let channel = try HostileChannel()
        var writer = RawWriter(channel.peer)
        try await channel.greet(&writer)
        let mayGoOn = try channel.occupyLoop()
        defer {
            mayGoOn.open()
            withExtendedLifetime(channel) {}
        }
        // On a busy machine, an answer may take as long as if no follower became the leader. So the test repeats the
        // attempt.
        while try !isPassedOn(channel, &writer) { try Task.checkCancellation() }
    }

    /// Ends the leader's reading, and ends the call of the follower that becomes the new leader. Another follower's
    /// answer is in the ring.
    /// - Returns: whether the answer was read before the longest sleep of any follower was over.
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
        // The order matters. After the thread is in the table, it does not block anywhere before its sleep.
        while !hasFollower(behind: others, host) || !number.isAsleep { usleep(100) }
        return thread
    }

    /// Whether the table has a follower that belongs to none of these calls.
    private func hasFollower(behind others: [ChannelCall], _ host: HostEndpoint) -> Bool {
        host.state.calls.withLock { table in
            var rest = table
            for call in others { rest.removeSleeper(call.id) }
            return rest.firstSleeper() != nil
        }
    }

    /// Wakes the first follower, as a leader does when it stops reading. The follower's call ends before the follower
    /// can check it, because the follower first needs the lock of the table.
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
