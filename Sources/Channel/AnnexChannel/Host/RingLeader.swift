internal import AnnexLinux
internal import CAnnexLinux
internal import Synchronization

// Leader and followers. One thread at a time reads the ring for all, because it holds the receiving lock. While it
// waits it sleeps on the header that the extension writes next; whenever nobody leads, the doorbell is asked for, so
// that the event loop's thread reads. That alone is enough for progress: handing the lead to a follower only saves time.
//
// A thread that leads until it has its answer marks its request as attended, and leaves the doorbell asked for as it
// is: the answer itself rings nobody, and what else is published rings as ever.

/// The reading part of a host's endpoint, and the highest of its four: it uses the other three.
///
/// It has no thread of its own. The thread that waits for an answer reads the ring for everybody; when no thread waits,
/// the extension rings the control socket, and the event loop's thread reads. Calls, requests and streams of the channel
/// hold it, so the channel lives for as long as one of them does.
final class RingLeader: Sendable {
    let state: ChannelState
    let control: ControlLine
    let sender: RingSender

    private let answered = AnsweredTasks()
    private let bed = LeaderBed()
    /// A thread wanted to read while another held the lock, which looks here after letting go.
    private let pumpIsWanted = Atomic<Bool>(false)
    /// Threads in `CallTable.sleepers`, so that a leader without followers need not ask the table.
    private let followers = Atomic<Int>(0)
    /// Held while reading and while sleeping for something to read: its holder leads.
    var receiving: HalfLock<HostReceiver> { sender.halves.first }

    /// However its channel waits, a task does not hold a thread of the pool for long.
    static let mostLooksOfATask: UInt32 = 4096
    /// A peer can move a sleeper of ours to a word of its own, where no wake-up finds it. So whoever sleeps while a
    /// call is open looks around by itself this often. Idle channels have no sleepers.
    static let longestSleep = Duration.milliseconds(500)

    init(_ state: ChannelState, _ control: ControlLine, _ sender: RingSender) {
        self.state = state
        self.control = control
        self.sender = sender
        state.install(
            ChannelState.Parts(
                letGo: { [weak control] in control?.close() },
                wake: { [weak self, weak sender] in
                    self?.interrupt()
                    sender?.wakeRoomSleepers()
                }))
    }

    deinit {
        state.runOnClose()
        control.abandon()
    }

    /// Lets the event loop read whenever nobody else does.
    func begin() throws(SystemError) {
        receiving.withLock { askForDoorbell(&$0) }
        try control.watch { [weak self] in self?.controlIsReady() }
    }

    /// Ends the channel: reads what the extension still published, then resolves every open call.
    func end(with reason: String) {
        state.calls.withLock { $0.willEnd(reason) }
        state.isEnding.store(true, ordering: .sequentiallyConsistent)
        interrupt()
        // The leader has let go or is about to. An answer that was given before the end still counts.
        receiving.withLock { _ = pump(&$0) }
        resumeAnswered()
        state.close(.ended(reason: reason))
    }

    /// Whether whatever leads has to let go.
    var mustStop: Bool {
        state.isClosed.load(ordering: .sequentiallyConsistent)
            || state.isEnding.load(ordering: .sequentiallyConsistent)
    }
}

// MARK: Following

extension RingLeader {
    /// Waits on this thread until the call is resolved, reading the ring whenever nobody else does.
    func follow(_ call: ChannelCall) {
        if call.isDone { return }
        let parker = Parker()
        while !call.isDone {
            if call.isOverdue {
                call.giveUp(with: .deadlineExceeded)
                continue
            }
            if lead(for: call, as: .thread) { continue }
            state.calls.withLock { $0.addSleeper(call.id, parker) }
            followers.add(1, ordering: .sequentiallyConsistent)
            // The leader may have let go before it could see this sleeper.
            if !lead(for: call, as: .thread) { call.park(with: parker) }
            followers.subtract(1, ordering: .relaxed)
            state.calls.withLock { $0.removeSleeper(call.id) }
        }
    }

    /// Looks for the answer to a task's call within the spin budget, unless another thread reads.
    func look(for call: ChannelCall) {
        if !call.isDone { _ = lead(for: call, as: .task) }
    }

    private func lead(for call: ChannelCall, as caller: RawCall.Caller) -> Bool {
        guard !mustStop else { return false }
        let led: Void? = receiving.withLockIfAvailable { receiver in
            receiver.withdraw()
            attend(&receiver, for: call, as: caller)
            stepDown(&receiver)
        }
        guard led != nil else { return false }
        afterLeading()
        return true
    }

    /// Reads until the call is resolved, its time is over or (for a task) looking on is not worth it. A thread, which would
    /// sleep, returns earlier if other tasks are to be resumed, and leads again after that.
    private func attend(_ receiver: inout HostReceiver, for call: ChannelCall, as caller: RawCall.Caller) {
        receiver.spinner.begin()
        var looks: UInt32 = 0
        while pump(&receiver), !mustStop(call), caller == .task || !keepsTasks {
            while !receiver.reader.hasNews {
                if receiver.spinner.spin() {
                    if isOver(call, &looks) || (caller == .task && looks > Self.mostLooksOfATask) { return }
                } else {
                    guard caller == .thread else { return receiver.spinner.willSuspend() }
                    sleep(&receiver, until: call.deadline) { mustStop(call) }
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

    private func mustStop(_ call: ChannelCall) -> Bool { call.isDone || mustStop }

    private func passOnTheLead() {
        guard followers.load(ordering: .sequentiallyConsistent) > 0 else { return }
        state.calls.withLock { $0.firstSleeper() }?.unpark()
    }
}

// MARK: Sleeping

extension RingLeader {
    /// Sleeps until something is published, for a while, or not at all where the leader must stop.
    func sleep(_ receiver: inout HostReceiver, until deadline: UInt64?, unless mustStop: () -> Bool) {
        let end = min(deadline ?? .max, MonotonicClock.deadline(after: Self.longestSleep))
        state.closeIfBroken { () throws(ChannelViolation) in
            try bed.sleep(&receiver, until: end, state.tally.sleeps, unless: mustStop)
        }
    }

    /// Gets a sleeping leader to look around.
    func interrupt() { bed.interrupt(sender.peer.ring) }
}

// MARK: Letting go

extension RingLeader {
    /// What a leader leaves behind before it lets the lock go: the doorbell is asked for.
    func leave(_ receiver: inout HostReceiver) {
        if !receiver.asksForDoorbell { stepDown(&receiver) }
    }

    /// Asks for the doorbell before the lock is let go. What came meanwhile is read here once more; what comes again
    /// and again is left to the event loop's thread, since this one has its answer.
    func stepDown(_ receiver: inout HostReceiver) {
        askForDoorbell(&receiver)
        guard receiver.reader.hasNews, !state.isClosed.load(ordering: .acquiring) else { return }
        _ = pump(&receiver)
        if receiver.reader.hasNews { state.loop.execute { [weak self] in self?.pumpSoon() } }
    }

    private func askForDoorbell(_ receiver: inout HostReceiver) {
        // SYNC: counted up under the receiving lock, which is held here. Counted down anywhere: then one bell too many rings.
        receiver.askForDoorbell(every: state.attendedCalls.load(ordering: .relaxed) > 0)
        control.turns.store(receiver.turns, ordering: .releasing)
    }

    /// What a leader owes the others once it has let go of the lock.
    func afterLeading() {
        // SYNC: whoever found the lock held has stored its wish before; the unlocking comes before these reads.
        annex_fence_after_atomic()
        if pumpIsWanted.load(ordering: .sequentiallyConsistent) { pumpSoon() }
        passOnTheLead()
        resumeAnswered()
    }

    /// Reads what is there, or leaves it to the thread that leads right now, which looks at the wish after letting go.
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
                if pump(&receiver), isRung {
                    state.closeIfBroken { () throws(ChannelViolation) in try receiver.hear() }
                }
                stepDown(&receiver)
            }
            if done == nil { return false }
            // SYNC: as in `afterLeading`.
            annex_fence_after_atomic()
        }
        // Whatever the extension said just now, it read something before.
        sender.sendWaitingCancels()
        sender.flushOutbox()
        passOnTheLead()
        return true
    }

    /// The event loop's thread: the control socket has something.
    func controlIsReady() {
        state.closeIfBroken { () throws(ChannelViolation) in
            let reading = try control.read()
            pumpSoon(isRung: reading.isRung)
            if reading.hasEnded { control.peerHasClosed() }
        }
    }
}

// Resuming a task may run the owner's code, so it never happens under a lock of the channel. The thread that reads the ring
// keeps the tasks that it has answers for, and resumes them after it has let go of the lock. That spares the event loop's
// thread a wake-up. A reader that goes on waiting for an answer of its own lets go of the lock meanwhile.

extension RingLeader {
    /// Keeps a task for the thread that lets go of the receiving lock next.
    func resumeAfterReading(_ task: AnsweredTask) { answered.keep(task) }

    /// Whether a reader keeps tasks that wait to be resumed.
    var keepsTasks: Bool { !answered.isEmpty }

    /// Resumes the tasks that a reader has kept, once the owner has heard all that was read. Under no lock of the channel.
    private func resumeAnswered() {
        for task in answered.take() { state.whenHeard { task.resume() } }
    }
}
