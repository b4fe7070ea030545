internal import AnnexLinux
internal import CAnnexLinux
internal import Synchronization

// Leader and followers. One thread at a time holds the receiving lock and reads the ring for all callers. This thread
// is the leader, and the other waiting threads are its followers. While the leader waits, it sleeps until the extension
// writes the next frame's header. While there is no leader, the host requests the doorbell, and the event loop's thread
// reads when the doorbell rings. The event loop's reading alone guarantees that every answer is read. When a leader
// stops, it also wakes a follower, which becomes the next leader. This only saves time.
//
// A thread that leads until its answer arrives marks its request as attended. For the answer to an attended request,
// the extension usually rings no doorbell. So this thread usually need not withdraw the host's request for a doorbell,
// and the extension still rings for all other frames.

/// The part of a host's endpoint that reads. It uses the three other parts: `ChannelState`, `ControlLine`,
/// `RingSender`.
///
/// This object starts no thread. A thread that waits for an answer reads the ring for all callers. If no thread waits,
/// the extension rings the doorbell on the control socket, and the event loop's thread reads. The channel's calls,
/// requests and streams hold this object, so the channel lives while any of them exists.
final class RingLeader: Sendable {
    let state: ChannelState
    let control: ControlLine
    let sender: RingSender

    private let answered = AnsweredTasks()
    let bed = LeaderBed()
    /// Ends the sleep of the dedicated thread, which leads while it has no jobs (`LeadingThread`); nil if the channel
    /// has no dedicated thread.
    let dedicated = Mutex<Summons?>(nil)
    /// Set by a thread before it tries to take the receiving lock to read. If another thread holds the lock, that
    /// thread checks this value after releasing the lock.
    private let pumpIsWanted = Atomic<Bool>(false)
    /// How many threads are in `CallTable.sleepers`. If the count is 0, the leader need not lock the table.
    private let followers = Atomic<Int>(0)
    /// The receiving lock. A thread holds it while it reads and while it sleeps for frames. Its holder is the leader.
    var receiving: HalfLock<HostReceiver> { sender.halves.first }

    /// The most checks for its answer that a task makes before it suspends. This limit keeps the task from occupying a
    /// thread of the pool for long, even with the style `.spin`.
    static let mostPollsOfATask: UInt32 = 4096
    /// The longest sleep while a call is open. A hostile extension can requeue a sleeping thread to a futex word of its
    /// own, and then no wake-up of this process reaches the thread. So each sleeping thread checks again after this
    /// time. In an idle channel no thread sleeps this way.
    static let longestSleep = Duration.milliseconds(500)

    init(state: ChannelState, control: ControlLine, sender: RingSender) {
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

    /// Lets the event loop's thread read while there is no leader.
    func begin() throws(SystemError) {
        receiving.withLock { askForDoorbell(&$0) }
        try control.watch { [weak self] in self?.controlIsReady() }
    }

    /// Ends the channel: reads the frames that the extension has published, then resolves every open call.
    func end(with reason: String) {
        state.calls.withLock { $0.willEnd(reason) }
        state.isEnding.store(true, ordering: .sequentiallyConsistent)
        interrupt()
        // The leader has released the lock or is about to release it. An answer that was published before the channel's
        // end still counts.
        receiving.withLock { _ = pump(&$0) }
        resumeAnswered()
        state.close(.ended(reason: reason))
    }

    /// Whether the leader has to release the lock.
    var mustStop: Bool {
        state.isClosed.load(ordering: .sequentiallyConsistent)
            || state.isEnding.load(ordering: .sequentiallyConsistent)
    }
}

// MARK: Following

extension RingLeader {
    /// Waits on this thread until the call is resolved, and reads the ring whenever no other thread does.
    func follow(_ call: ChannelCall) {
        if call.isDone { return }
        let parker = Parker()
        defer { passOnUnusedLead() }
        while !call.isDone {
            if call.isOverdue {
                call.giveUp(with: .deadlineExceeded)
                continue
            }
            if lead(for: call, as: .thread) { continue }
            state.calls.withLock { $0.addSleeper(call.id, parker: parker) }
            followers.add(1, ordering: .sequentiallyConsistent)
            // The leader may have released the lock before it could see this thread among the sleepers. So this thread
            // tries to lead once more.
            if !lead(for: call, as: .thread) { call.park(with: parker, atMost: Self.longestSleep) }
            followers.subtract(1, ordering: .relaxed)
            state.calls.withLock { $0.removeSleeper(call.id) }
        }
    }

    /// Checks for the answer to a task's call while checking is cheaper than suspending. If another thread reads, does
    /// nothing.
    func poll(for call: ChannelCall) {
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

    /// Reads until the call is resolved or its time is over. For a task, reading also ends when further checks cost
    /// more than suspending. For a thread, reading also ends if the thread has to resume tasks. After that, the thread
    /// leads again.
    private func attend(_ receiver: inout HostReceiver, for call: ChannelCall, as caller: RawCall.Caller) {
        receiver.spinner.begin()
        var polls: UInt32 = 0
        while pump(&receiver), !mustStop(call), caller == .task || !keepsTasks {
            while !receiver.reader.hasNews {
                if receiver.spinner.spin() {
                    if isOver(call, polls: &polls) || (caller == .task && polls > Self.mostPollsOfATask) { return }
                } else {
                    guard caller == .thread else { return receiver.spinner.willSuspend() }
                    sleep(&receiver, until: call.deadline) { mustStop(call) }
                    if mustStop(call) || call.isOverdue { return }
                }
            }
            if isOver(call, polls: &polls) { return }
        }
    }

    /// Whether the wait is over. The method checks this only every 64th time, because reading the clock costs more than
    /// a check of the ring.
    private func isOver(_ call: ChannelCall, polls looks: inout UInt32) -> Bool {
        looks &+= 1
        return looks & 63 == 0 && (mustStop(call) || call.isOverdue)
    }

    private func mustStop(_ call: ChannelCall) -> Bool { call.isDone || mustStop }

    /// Another thread may have passed the lead to this follower just as the follower's own call ended. If no thread
    /// leads now, this method passes the lead on to another follower.
    private func passOnUnusedLead() {
        let isFree: Void? = receiving.withLockIfAvailable { _ in }
        if isFree != nil { afterLeading() }
    }

    private func passOnTheLead() {
        guard followers.load(ordering: .sequentiallyConsistent) > 0 else { return }
        state.calls.withLock { $0.firstSleeper() }?.unpark()
    }
}

// MARK: Sleeping

extension RingLeader {
    /// Sleeps until a frame is published or the time is over, at most for `longestSleep`. If the leader must stop, this
    /// method does not sleep.
    func sleep(_ receiver: inout HostReceiver, until deadline: UInt64?, unless mustStop: () -> Bool) {
        let end = min(deadline ?? .max, MonotonicClock.deadline(after: Self.longestSleep))
        state.closeIfBroken { () throws(ChannelViolation) in
            try bed.sleep(&receiver, until: end, counter: state.tally.sleeps, unless: mustStop)
        }
    }

    /// Wakes a sleeping leader, so that it checks its state.
    func interrupt() {
        bed.interrupt(sender.peer.ring)
        dedicated.withLock { $0 }?.send()
    }
}

// MARK: Letting go

extension RingLeader {
    /// The last step of a leader before it releases the lock: requests the doorbell, unless that was done already.
    func leave(_ receiver: inout HostReceiver) {
        if !receiver.asksForDoorbell { stepDown(&receiver) }
    }

    /// Requests the doorbell before the thread releases the lock, and then reads the frames that arrived meanwhile. If
    /// still more frames arrive, the event loop's thread reads them, because this thread stops leading.
    func stepDown(_ receiver: inout HostReceiver) {
        askForDoorbell(&receiver)
        guard receiver.reader.hasNews, !state.isClosed.load(ordering: .acquiring) else { return }
        _ = pump(&receiver)
        if receiver.reader.hasNews { state.loop.execute { [weak self] in self?.pumpSoon() } }
    }

    private func askForDoorbell(_ receiver: inout HostReceiver) {
        // SYNC: `attendedCalls` increases only under the receiving lock, which is held here. The count may decrease at
        // any time. In that case, one needless doorbell may ring.
        receiver.askForDoorbell(every: state.attendedCalls.load(ordering: .relaxed) > 0)
        control.turns.store(receiver.turns, ordering: .releasing)
    }

    /// Does the work for other callers that the leader must do after it has released the lock.
    func afterLeading() {
        // SYNC: before a thread tries to take the lock, it stores its request to read in `pumpIsWanted` or counts
        // itself in `followers`. The fence orders the unlocking before the reads of these two values below.
        annex_fence_after_atomic()
        if pumpIsWanted.load(ordering: .sequentiallyConsistent) { pumpSoon() }
        passOnTheLead()
        resumeAnswered()
    }

    /// Reads the published frames. If another thread leads, that thread reads them after it releases the lock.
    /// - Parameter isRung: whether the extension's doorbell caused this call.
    /// - Returns: false if another thread leads.
    @discardableResult
    func pumpSoon(isRung: Bool = false) -> Bool {
        defer { resumeAnswered() }
        pumpIsWanted.store(true, ordering: .sequentiallyConsistent)
        while pumpIsWanted.load(ordering: .sequentiallyConsistent) {
            let done: Void? = receiving.withLockIfAvailable { receiver in
                pumpIsWanted.store(false, ordering: .sequentiallyConsistent)
                receiver.withdraw()
                if pump(&receiver), isRung {
                    state.closeIfBroken { () throws(ChannelViolation) in try receiver.recordDoorbell() }
                }
                stepDown(&receiver)
            }
            if done == nil { return false }
            // SYNC: as in `afterLeading`.
            annex_fence_after_atomic()
        }
        // An extension that sends frames has probably also read some. So the ring to the extension may have room again.
        sender.sendWaitingCancels()
        sender.flushOutbox()
        passOnTheLead()
        return true
    }

    /// Reads the control socket and the ring. The event loop's thread calls this when the socket is readable.
    func controlIsReady() {
        state.closeIfBroken { () throws(ChannelViolation) in
            let reading = try control.read()
            pumpSoon(isRung: reading.isRung)
            if reading.hasEnded { control.peerHasClosed() }
        }
    }
}

// Resuming a task may run code of the channel's owner, so no thread resumes a task while it holds a lock of the
// channel. The thread that reads the ring collects the tasks whose answers it found. The same thread resumes these
// tasks after it has released the lock, so it need not wake the event loop's thread. If the reader still waits for its
// own answer, it releases the lock to resume these tasks.

extension RingLeader {
    /// Keeps a task until a thread releases the receiving lock. That thread then resumes the task.
    func resumeAfterReading(_ task: AnsweredTask) { answered.keep(task) }

    /// Whether there are collected tasks that a reader still has to resume.
    var keepsTasks: Bool { !answered.isEmpty }

    /// Resumes the collected tasks, after the handlers of all messages read so far. The caller must hold no lock of the
    /// channel.
    @inline(__always) private func resumeAnswered() {
        // There are almost never tasks to resume. Without this check, `take` would make a list each time.
        guard keepsTasks else { return }
        for task in answered.take() { state.runAfterHandlers { task.resume() } }
    }
}
