internal import AnnexLinux
internal import Synchronization

/// One call that a host has made: resolves exactly once, whatever the extension does.
public final class ChannelCall: Sendable {
    typealias Outcome = Result<Reply, CallFailure>

    enum Waiter {
        case thread(Parker)
        case task(CheckedContinuation<Outcome, Never>)
        case body(@Sendable (Outcome) -> Void)

        func isThread(of parker: Parker) -> Bool {
            if case .thread(let other) = self { return other === parker }
            return false
        }
    }

    enum State {
        case pending([Waiter])
        case resolved(Outcome)
    }

    /// The call's number on the wire, counted from 1.
    let id: UInt64
    let method: UInt16
    /// Answered by a pong and nothing else.
    let isPing: Bool
    let accepts: DescriptorAllowance
    /// When it resolves by itself, on `MonotonicClock`; nil: never.
    let deadline: UInt64?
    /// Where a thread waits for the bytes of a large answer; nil: the answer has memory of its own.
    let memory: CallerMemory?
    /// The most bytes of an answer in pieces that has memory of its own; what comes in one frame is bounded by that.
    let mostReply: Int
    /// Counted among `ChannelState.attendedCalls` until it resolves.
    private let isAttended: Bool
    private let state = Mutex(State.pending([]))
    private let done = Atomic<Bool>(false)
    private let timer = Mutex<EventLoop.Timer?>(nil)
    private let leader: RingLeader

    init(
        id: UInt64, method: UInt16, isPing: Bool, accepts: DescriptorAllowance, deadline: UInt64?,
        mostReply: Int = 0, memory: CallerMemory? = nil, isAttended: Bool = false, leader: RingLeader
    ) {
        self.id = id
        self.method = method
        self.isPing = isPing
        self.accepts = accepts
        self.deadline = deadline
        self.memory = memory
        self.mostReply = mostReply
        self.isAttended = isAttended
        self.leader = leader
        if isAttended { leader.state.attendedCalls.add(1, ordering: .relaxed) }
    }

    /// Gives up: the call resolves with `.cancelled` unless it already has resolved, and the extension is told.
    public func cancel() {
        giveUp(with: .cancelled)
    }

    /// Sleeps until the call has resolved. Not for tasks, which have `value()`.
    /// - Throws: `CallFailure.onEventLoop` on the event loop's thread, if there is no outcome yet.
    public func wait() throws(CallFailure) -> Reply {
        guard isDone || !leader.state.loop.isCurrent else { throw .onEventLoop }
        leader.follow(self)
        return try heard()
    }

    /// The outcome of a call that is done, once what came before it has been heard.
    func heard() throws(CallFailure) -> Reply {
        do throws(CallFailure) {
            let reply = try outcome().get()
            leader.state.hearFirst(until: deadline)
            return reply
        } catch {
            leader.state.hearFirst(before: error, until: deadline)
            throw error
        }
    }

    /// The answer. A cancelled task cancels the call.
    public nonisolated(nonsending) func value() async throws(CallFailure) -> Reply {
        // Found within the spin budget: nothing is suspended, and nothing is set up to be.
        if isDone {
            let outcome = self.outcome()
            switch outcome {
            case .success: await leader.state.hearFirst()
            case .failure(let failure): await leader.state.hearFirst(before: failure)
            }
            return try outcome.get()
        }
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { suspend($0) }
        } onCancel: {
            cancel()
        }
        return try outcome.get()
    }

    var isDone: Bool {
        // SYNC: sequentially consistent with the leader's sleep mark, see `LeaderBed.interrupt`.
        done.load(ordering: .sequentiallyConsistent)
    }

    /// Whether the deadline has passed.
    var isOverdue: Bool {
        guard let deadline else { return false }
        return MonotonicClock.now() >= deadline
    }

    /// The outcome of a call that is done.
    func outcome() -> Outcome {
        state.withLock { state in
            if case .resolved(let outcome) = state { return outcome }
            return .failure(.cancelled)
        }
    }

    /// Called once, by whoever took the call out of the table, maybe under the receiving lock. So only threads are woken
    /// here; what runs code of other people's goes behind what the owner was told before, on the event loop's thread.
    func resolve(_ outcome: Outcome) {
        resolve(outcome) { task in leader.state.loop.perform { task.resume(returning: outcome) } }
    }

    /// The same for who reads the ring: tasks are resumed once the receiving lock was let go of.
    func resolveWhileReading(_ outcome: Outcome) {
        resolve(outcome) { task in leader.resumeAfterReading(AnsweredTask(task: task, outcome: outcome)) }
    }

    private func resolve(_ outcome: Outcome, resuming: (CheckedContinuation<Outcome, Never>) -> Void) {
        let waiters = state.withLock { state in
            guard case .pending(let waiters) = state else { return [] as [Waiter] }
            state = .resolved(outcome)
            return waiters
        }
        done.store(true, ordering: .sequentiallyConsistent)
        if isAttended { leader.state.attendedCalls.subtract(1, ordering: .relaxed) }
        if deadline != nil { timer.withLock { $0.take() }?.cancel() }
        for waiter in waiters {
            switch waiter {
            case .thread(let parker): parker.unpark()
            case .task(let continuation): resuming(continuation)
            case .body(let body): leader.state.loop.perform { body(outcome) }
            }
        }
    }

    /// Lets the calling thread sleep until the call resolves, the deadline passes or `unpark`.
    func park(with parker: Parker) {
        guard enlist(.thread(parker)) == nil else { return }
        parker.park(until: deadline)
        state.withLock { state in
            guard case .pending(var waiters) = state else { return }
            waiters.removeAll { $0.isThread(of: parker) }
            state = .pending(waiters)
        }
    }

    /// Resolves the call from this side, unless it already is.
    /// - Parameter tell: whether the extension has heard of the call and is to hear of its end.
    func giveUp(with failure: CallFailure, tell: Bool = true) {
        guard leader.takeOut(id, isForgone: tell) else { return }
        leader.control.dropHandOver(of: self)
        resolve(.failure(failure))
        if tell { leader.sender.sendCancel(id) }
        leader.interrupt()
    }

    /// Ends the waiting by itself at the deadline.
    func setTimer() {
        guard let deadline, !isDone else { return }
        let timer = leader.state.loop.schedule(at: deadline) { [self] in giveUp(with: .deadlineExceeded) }
        self.timer.withLock { $0 = timer }
        // The call may have resolved before the timer was kept.
        if isDone { self.timer.withLock { $0.take() }?.cancel() }
    }

    /// Runs a body with the outcome: at once if there is one, else on the event loop's thread.
    func whenDone(_ body: @escaping @Sendable (Outcome) -> Void) {
        if let ready = enlist(.body(body)) { body(ready) }
    }

    private func suspend(_ continuation: CheckedContinuation<Outcome, Never>) {
        guard let ready = enlist(.task(continuation)) else { return }
        leader.state.whenHeard { continuation.resume(returning: ready) }
    }

    /// - Returns: the outcome where there is one already: then nobody is enlisted.
    private func enlist(_ waiter: Waiter) -> Outcome? {
        state.withLock { state in
            switch state {
            case .resolved(let outcome): return outcome
            case .pending(let waiters):
                state = .pending(waiters + [waiter])
                return nil
            }
        }
    }
}
