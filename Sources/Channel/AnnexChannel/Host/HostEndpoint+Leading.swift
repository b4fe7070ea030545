internal import AnnexLinux
internal import CAnnexLinux
internal import Synchronization

// Leader and followers. One thread at a time reads the ring for all, because it holds the receiving lock. While it
// waits it sleeps on the header that the extension writes next; whenever nobody leads, the doorbell is asked for, so
// that the event loop's thread reads. That alone is enough for progress: handing the lead to a follower only saves time.
//
// A thread that leads until it has its answer marks its request as attended, and leaves the doorbell asked for as it
// is: the answer itself rings nobody, and what else is published rings as ever.

extension HostEndpoint {
    /// Sends as the leader, so that the extension need not ring, and waits for the answer.
    /// - Returns: whether the frame was sent.
    func sendAndLead(_ opened: borrowing OpenedCall) -> Bool {
        lead(opened, sleeps: true)
    }

    /// The same without sleeping: the answer is looked for within the spin budget only.
    func sendAndLook(_ opened: borrowing OpenedCall) -> Bool {
        lead(opened, sleeps: false)
    }

    private func lead(_ opened: borrowing OpenedCall, sleeps: Bool) -> Bool {
        let sent = receiving.withLockIfAvailable { receiver in
            // A task may leave before its answer comes, which has to ring then.
            if !sleeps { receiver.withdraw() }
            defer { leave(&receiver) }
            switch attempt(opened.frame, marks: sleeps ? .attended : []) {
            case .sent: break
            case .full: return false
            case .failed(let failure):
                giveUp(opened.call, with: report(failure), tell: false)
                return true
            }
            attend(&receiver, for: opened.call, sleeps: sleeps)
            return true
        }
        guard let sent else { return false }
        afterLeading()
        return sent
    }

    /// Waits on this thread until the call is resolved, reading the ring whenever nobody else does.
    func follow(_ call: ChannelCall) {
        if call.isDone { return }
        let parker = Parker()
        while !call.isDone {
            if call.isOverdue {
                giveUp(call, with: .deadlineExceeded)
                continue
            }
            if leadExisting(call) { continue }
            calls.withLock { $0.addSleeper(call.id, parker) }
            followers.add(1, ordering: .sequentiallyConsistent)
            // The leader may have let go before it could see this sleeper.
            if !leadExisting(call) { call.park(with: parker) }
            followers.subtract(1, ordering: .relaxed)
            calls.withLock { $0.removeSleeper(call.id) }
        }
    }

    private func leadExisting(_ call: ChannelCall) -> Bool {
        guard !isEnding.load(ordering: .acquiring), !isClosed.load(ordering: .acquiring) else { return false }
        let led: Void? = receiving.withLockIfAvailable { receiver in
            receiver.withdraw()
            attend(&receiver, for: call, sleeps: true)
            stepDown(&receiver)
        }
        guard led != nil else { return false }
        afterLeading()
        return true
    }

    /// Reads until the call is resolved, its time is over or (without `sleeps`) looking on is not worth it. A
    /// caller that would sleep returns earlier if other tasks are to be resumed, and leads again after that.
    private func attend(_ receiver: inout HostReceiver, for call: ChannelCall, sleeps: Bool) {
        receiver.spinner.begin()
        var looks: UInt32 = 0
        while pump(&receiver), !mustStop(call), !(sleeps && keepsTasks) {
            while !receiver.reader.hasNews {
                if receiver.spinner.spin() {
                    if isOver(call, &looks) || (!sleeps && looks > HostEndpoint.mostLooksOfATask) { return }
                } else {
                    guard sleeps else { return receiver.spinner.willSuspend() }
                    sleep(&receiver, for: call)
                    if mustStop(call) || call.isOverdue { return }
                }
            }
            if isOver(call, &looks) { return }
        }
    }

    /// Whether there is nothing to wait for; looked up rarely, because asking the clock costs more than a look.
    private func isOver(_ call: ChannelCall, _ looks: inout UInt32) -> Bool {
        looks &+= 1
        return looks & 63 == 0 && (mustStop(call) || call.isOverdue)
    }

    /// However its channel waits, a task does not hold a thread of the pool for long.
    static let mostLooksOfATask: UInt32 = 4096
    /// A peer can move a sleeper of ours to a word of its own, where no wake-up finds it. So whoever sleeps while a
    /// call is open looks around by itself this often. Idle channels have no sleepers.
    static let longestSleep = Duration.milliseconds(500)

    private func mustStop(_ call: ChannelCall) -> Bool {
        call.isDone || isClosed.load(ordering: .sequentiallyConsistent)
            || isEnding.load(ordering: .sequentiallyConsistent)
    }

    private func sleep(_ receiver: inout HostReceiver, for call: ChannelCall) {
        sleep(&receiver, until: call.deadline) { mustStop(call) }
    }

    /// Sleeps until something is published, for a while, or not at all where the leader must stop.
    func sleep(_ receiver: inout HostReceiver, until deadline: UInt64?, unless mustStop: () -> Bool) {
        receiver.spinner.willSleep()
        receiver.announceSleep()
        sleepPosition.store(receiver.reader.position, ordering: .relaxed)
        // SYNC: odd before the look at `mustStop`; `interruptLeader` comes after whatever `mustStop` looks at.
        sleepMark.add(1, ordering: .sequentiallyConsistent)
        var woken: FutexWait?
        let interruptionsBefore = interruptions.load(ordering: .relaxed)
        if !mustStop() {
            tally.sleeps.add()
            woken = receiver.sleep(until: min(deadline ?? .max, MonotonicClock.deadline(after: Self.longestSleep)))
        }
        sleepMark.add(1, ordering: .sequentiallyConsistent)
        receiver.withdraw()
        receiver.spinner.slept()
        do throws(ChannelViolation) {
            if case .refused(let errno) = woken { throw .sharedWord(errno: errno) }
            // A wake-up of this side's own is not the peer's to pay for.
            let isOwn = interruptions.load(ordering: .relaxed) != interruptionsBefore
            if woken == .woken || woken == .changed, !isOwn { try receiver.noteWakeUp() }
        } catch {
            close(for: error)
        }
    }

    /// Gets a sleeping leader to look around. Wakes again until it has left that sleep, because it may not have begun
    /// it yet.
    func interruptLeader() {
        let mark = sleepMark.load(ordering: .sequentiallyConsistent)
        guard mark & 1 == 1 else { return }
        interruptions.add(1, ordering: .relaxed)
        var left = SleepGate.mostWakeUps
        while left > 0, sleepMark.load(ordering: .sequentiallyConsistent) == mark {
            left &-= 1
            peer.ring.bed(at: sleepPosition.load(ordering: .relaxed)).wakeSleepers()
            Processor.yield()
        }
    }

    /// What a leader leaves behind before it lets the lock go: the doorbell is asked for.
    func leave(_ receiver: inout HostReceiver) {
        if !receiver.asksForDoorbell { stepDown(&receiver) }
    }

    /// Asks for the doorbell before the lock is let go. What came meanwhile is read here once more; what comes again
    /// and again is left to the event loop's thread, since this one has its answer.
    private func stepDown(_ receiver: inout HostReceiver) {
        askForDoorbell(&receiver)
        guard receiver.reader.hasNews, !isClosed.load(ordering: .acquiring) else { return }
        _ = pump(&receiver)
        if receiver.reader.hasNews { loop.execute { [weak self] in self?.pumpSoon() } }
    }

    func askForDoorbell(_ receiver: inout HostReceiver) {
        receiver.askForDoorbell()
        turns.store(receiver.turns, ordering: .releasing)
    }

    /// What a leader owes the others once it has let go of the lock.
    func afterLeading() {
        // SYNC: whoever found the lock held has stored its wish before; the unlocking comes before these reads.
        annex_fence_after_atomic()
        if pumpIsWanted.load(ordering: .sequentiallyConsistent) { pumpSoon() }
        passOnTheLead()
        resumeAnswered()
    }

    private func hear(_ receiver: inout HostReceiver) {
        do throws(ChannelViolation) {
            try receiver.hear()
        } catch {
            close(for: error)
        }
    }

    private func passOnTheLead() {
        guard followers.load(ordering: .sequentiallyConsistent) > 0 else { return }
        calls.withLock { $0.firstSleeper() }?.unpark()
    }

    /// Reads what is there, or leaves it to whoever leads right now, who looks at the wish after letting go.
    /// - Parameter isRung: whether the extension's doorbell is the reason.
    /// - Returns: false where another thread leads.
    @discardableResult
    func pumpSoon(isRung: Bool = false) -> Bool {
        defer { resumeAnswered() }
        pumpIsWanted.store(true, ordering: .sequentiallyConsistent)
        while pumpIsWanted.load(ordering: .sequentiallyConsistent) {
            let done: Void? = receiving.withLockIfAvailable { receiver in
                pumpIsWanted.store(false, ordering: .sequentiallyConsistent)
                receiver.withdraw()
                if pump(&receiver), isRung { hear(&receiver) }
                stepDown(&receiver)
            }
            if done == nil { return false }
            // SYNC: as in `afterLeading`.
            annex_fence_after_atomic()
        }
        // Whatever the extension said just now, it read something before.
        sendWaitingCancels()
        flushOutbox()
        passOnTheLead()
        return true
    }
}
