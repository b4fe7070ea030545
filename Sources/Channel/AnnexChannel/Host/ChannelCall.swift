internal import AnnexLinux
internal import Synchronization

/// One call from the host to its extension. The call resolves exactly once, whatever the extension does.
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
    /// Whether the call is a ping. Only a pong answers a ping.
    let isPing: Bool
    let accepts: DescriptorAllowance
    /// When the call fails by itself, on `MonotonicClock`; nil: never.
    let deadline: UInt64?
    /// The memory that a waiting thread lends for a large answer; nil: the channel allocates memory for the answer.
    let memory: CallerMemory?
    /// The most bytes of an answer in pieces for which the channel allocates memory. The ring's size limits an answer
    /// in one frame.
    let mostReply: Int
    /// Whether `ChannelState.attendedCalls` counts the call until it resolves.
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

    /// Gives the call up and notifies the extension. The call resolves with `.cancelled` unless it already has an
    /// outcome.
    public func cancel() {
        giveUp(with: .cancelled)
    }

    /// Blocks this thread until the call resolves, and returns the answer. Tasks use `value()` instead.
    /// - Throws: the call's failure; `CallFailure.onEventLoop` on the event loop's thread if there is no outcome yet.
    public func wait() throws(CallFailure) -> Reply {
        guard isDone || !leader.state.loop.isCurrent else { throw .onEventLoop }
        leader.follow(self)
        return try replyAfterHandlers()
    }

    /// Returns the outcome of a resolved call, after the handlers of everything that arrived before the outcome have
    /// run.
    func replyAfterHandlers() throws(CallFailure) -> Reply {
        do throws(CallFailure) {
            let reply = try outcome().get()
            leader.state.waitForHandlers(until: deadline)
            return reply
        } catch {
            leader.state.waitForHandlers(before: error, until: deadline)
            throw error
        }
    }

    /// Suspends until the call resolves, and returns the answer. Cancelling the task cancels the call.
    public nonisolated(nonsending) func value() async throws(CallFailure) -> Reply {
        // The call has its outcome already, so the task need not prepare to suspend.
        if isDone {
            let outcome = self.outcome()
            switch outcome {
            case .success: await leader.state.waitForHandlers()
            case .failure(let failure): await leader.state.waitForHandlers(before: failure)
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
        // SYNC: sequentially consistent, like the mark that the leader sets before it sleeps (see
        // `LeaderBed.interrupt`).
        done.load(ordering: .sequentiallyConsistent)
    }

    /// Whether the deadline has passed.
    var isOverdue: Bool {
        guard let deadline else { return false }
        return MonotonicClock.now() >= deadline
    }

    /// The outcome of a resolved call.
    func outcome() -> Outcome {
        state.withLock { state in
            if case .resolved(let outcome) = state { return outcome }
            return .failure(.cancelled)
        }
    }

    /// Resolves the call. Only the thread that took the call out of the table of calls calls this method, and only
    /// once. That thread may hold the receiving lock, so this method itself only wakes threads. Tasks and bodies can
    /// run foreign code. So they run on the event loop's thread, after the handlers that were queued before them.
    func resolve(_ outcome: Outcome) {
        resolve(outcome) { task in leader.state.loop.perform { task.resume(returning: outcome) } }
    }

    /// Like `resolve`, for the thread that reads the ring. That thread resumes tasks after it has released the
    /// receiving lock.
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

    /// Blocks this thread until the call resolves, its deadline or the longest time passes, or another thread unparks
    /// this thread.
    func park(with parker: Parker, atMost longest: Duration) {
        guard enlist(.thread(parker)) == nil else { return }
        parker.park(until: min(deadline ?? .max, MonotonicClock.deadline(after: longest)))
        state.withLock { state in
            guard case .pending(var waiters) = state else { return }
            waiters.removeAll { $0.isThread(of: parker) }
            state = .pending(waiters)
        }
    }

    /// Gives the call up and resolves it with this failure, unless the call is already resolved.
    /// - Parameter tell: whether the call was sent, so that the extension must be notified.
    func giveUp(with failure: CallFailure, tell: Bool = true) {
        guard leader.removeCall(id, isForgone: tell) else { return }
        leader.control.dropHandOver(of: self)
        resolve(.failure(failure))
        if tell { leader.sender.sendCancel(id) }
        leader.interrupt()
    }

    /// Starts a timer that fails the call at its deadline.
    func setTimer() {
        guard let deadline, !isDone else { return }
        let timer = leader.state.loop.schedule(at: deadline) { [self] in giveUp(with: .deadlineExceeded) }
        self.timer.withLock { $0 = timer }
        // The call may have resolved before the timer was stored.
        if isDone { self.timer.withLock { $0.take() }?.cancel() }
    }

    /// Runs a body with the outcome: at once if the call has an outcome already, otherwise later on the event loop's
    /// thread.
    func whenDone(_ body: @escaping @Sendable (Outcome) -> Void) {
        if let ready = enlist(.body(body)) { body(ready) }
    }

    private func suspend(_ continuation: CheckedContinuation<Outcome, Never>) {
        guard let ready = enlist(.task(continuation)) else { return }
        leader.state.runAfterHandlers { continuation.resume(returning: ready) }
    }

    /// - Returns: the outcome if there already is one. Then the waiter is not added.
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
