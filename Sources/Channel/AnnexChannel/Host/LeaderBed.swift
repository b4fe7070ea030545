internal import AnnexLinux
internal import Synchronization

/// Where the thread that leads sleeps, and how the other threads of this process get it to look around: it sleeps on a
/// word of the extension's, which none of them may change.
struct LeaderBed: ~Copyable, Sendable {
    /// Odd while the leader sleeps or is about to.
    private let mark = Atomic<UInt64>(0)
    /// Where in the ring it sleeps.
    private let position = Atomic<UInt32>(0)
    /// How often this side itself has woken the leader.
    private let interruptions = Atomic<UInt64>(0)

    /// Sleeps until something is published or the time is over, or not at all where the leader must stop.
    func sleep(
        _ receiver: inout HostReceiver, until deadline: UInt64, _ sleeps: Counter, unless mustStop: () -> Bool
    ) throws(ChannelViolation) {
        receiver.spinner.willSleep()
        receiver.announceSleep()
        position.store(receiver.reader.position, ordering: .relaxed)
        // SYNC: odd before the look at `mustStop`; `interrupt` comes after whatever `mustStop` looks at.
        mark.add(1, ordering: .sequentiallyConsistent)
        var woken: FutexWait?
        let interruptionsBefore = interruptions.load(ordering: .relaxed)
        if !mustStop() {
            sleeps.add()
            woken = receiver.sleep(until: deadline)
        }
        mark.add(1, ordering: .sequentiallyConsistent)
        receiver.withdraw()
        receiver.spinner.slept()
        if case .refused(let errno) = woken { throw .sharedWord(errno: errno) }
        // A wake-up of this side's own is not the peer's to pay for.
        let isOwn = interruptions.load(ordering: .relaxed) != interruptionsBefore
        if woken == .woken || woken == .changed, !isOwn { try receiver.noteWakeUp() }
    }

    /// Gets a sleeping leader to look around. Wakes again until it has left that sleep, because it may not have begun
    /// it yet.
    func interrupt(_ ring: RingBytes) {
        let seen = mark.load(ordering: .sequentiallyConsistent)
        guard seen & 1 == 1 else { return }
        interruptions.add(1, ordering: .relaxed)
        var left = SleepGate.mostWakeUps
        while left > 0, mark.load(ordering: .sequentiallyConsistent) == seen {
            left &-= 1
            ring.bed(at: position.load(ordering: .relaxed)).wakeSleepers()
            Processor.yield()
        }
    }
}
