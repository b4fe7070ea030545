internal import AnnexLinux
internal import Synchronization

/// Puts the leader to sleep, and lets other threads of this process wake it. The leader sleeps on a word in the
/// extension's memory, which this process must not change.
struct LeaderBed: ~Copyable, Sendable {
    /// Odd while the leader sleeps or is about to.
    private let mark = Atomic<UInt64>(0)
    /// The ring position of the word on which it sleeps.
    private let position = Atomic<UInt32>(0)
    /// How often this process itself has woken the leader.
    private let interruptions = Atomic<UInt64>(0)

    /// Sleeps until a frame is published or the time is over. Does not sleep if the leader must stop.
    func sleep(
        _ receiver: inout HostReceiver, until deadline: UInt64, _ sleeps: Counter, unless mustStop: () -> Bool
    ) throws(ChannelViolation) {
        receiver.spinner.willSleep()
        receiver.announceSleep()
        position.store(receiver.reader.position, ordering: .relaxed)
        // SYNC: the mark becomes odd before `mustStop` is checked. `interrupt` runs after the change that `mustStop`
        // checks.
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
        // Only wake-ups by the extension spend its budget.
        let isOwn = interruptions.load(ordering: .relaxed) != interruptionsBefore
        if woken == .woken || woken == .changed, !isOwn { try receiver.noteWakeUp() }
    }

    /// Wakes a sleeping leader. Repeats the wake-up until the leader has left that sleep, because it may not have begun
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
