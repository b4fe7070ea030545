internal import AnnexLinux
internal import Synchronization

/// The calls that have no outcome yet. The thread that takes a call out of the table resolves the call, so each call
/// resolves only once.
struct CallTable: Sendable {
    private(set) var lastID: UInt64 = 0
    private(set) var open: [UInt64: ChannelCall] = [:]
    private var accepting = 0
    /// How many late answers may still arrive: at most one for each call that this side gave up.
    private var forgone: UInt64 = 0
    /// Threads that sleep until their call has an outcome. A leader that stops reading wakes the first of these threads
    /// whose call is still open, so that this thread reads the ring.
    private var sleepers: [(call: UInt64, parker: Parker)] = []
    /// Why the channel is closed; nil while it is open.
    private(set) var closed: CallFailure?
    /// Why the channel is about to close.
    private(set) var ending: String?

    var count: Int { open.count }

    /// Why the table admits no further call; nil if it admits further calls.
    func rejection(atMost most: Int) -> CallFailure? {
        closed ?? (count < most ? nil : .tooManyCalls(most: most))
    }

    mutating func nextID() -> UInt64 {
        lastID &+= 1
        return lastID
    }

    /// - Returns: whether this is the first open call that accepts descriptors.
    mutating func insert(_ call: ChannelCall) -> Bool {
        open.updateValue(call, forKey: call.id)
        guard call.accepts.pieces > 0 else { return false }
        accepting &+= 1
        return accepting == 1
    }

    /// - Returns: whether the call was in the table, and whether no open call accepts descriptors any more.
    mutating func removeCall(_ id: UInt64) -> (wasThere: Bool, nobodyAccepts: Bool) {
        guard let call = open.removeValue(forKey: id) else { return (false, false) }
        guard call.accepts.pieces > 0 else { return (true, false) }
        accepting &-= 1
        return (true, accepting == 0)
    }

    mutating func forgo() {
        forgone &+= 1
    }

    /// Whether a late answer is expected, because this side gave up a call. If so, the count of expected late answers
    /// decreases by one.
    mutating func expectsLateAnswer() -> Bool {
        guard forgone > 0 else { return false }
        forgone &-= 1
        return true
    }

    mutating func willEnd(_ reason: String) {
        if ending == nil { ending = reason }
    }

    /// Closes the table and returns every open call. If the table is closed already, this method returns no calls.
    mutating func close(_ failure: CallFailure) -> [ChannelCall] {
        guard closed == nil else { return [] }
        closed = failure
        defer { open = [:] }
        return Array(open.values)
    }

    mutating func addSleeper(_ call: UInt64, parker: Parker) {
        sleepers.append((call, parker))
    }

    mutating func removeSleeper(_ call: UInt64) {
        sleepers.removeAll { $0.call == call }
    }

    /// The thread that has slept longest, among the threads whose calls are still open. A thread whose call has ended
    /// no longer reads the ring.
    func firstSleeper() -> Parker? {
        sleepers.first { open.keys.contains($0.call) }?.parker
    }
}

extension CallTable {
    /// The state of the call with a number that came from the extension.
    enum Lookup {
        case open(ChannelCall)
        /// The call was open, and this lookup removed it from the table. The caller must resolve the call.
        case removed(ChannelCall)
        /// The call was made and is already resolved.
        case late
        case neverIssued
    }

    func find(_ id: UInt64) -> Lookup {
        if let call = open.value(of: id) { return .open(call) }
        return id <= lastID && id > 0 ? .late : .neverIssued
    }

    /// Finds the call that a frame answers. Removes the call at once if the frame needs no further check.
    mutating func match(_ frame: Frame) -> Lookup {
        let found = find(frame.call)
        guard case .open(let call) = found, frame.kind == .reply, frame.descriptors == 0, !call.isPing,
            frame.method == call.method, call.accepts.pieces == 0
        else { return found }
        _ = removeCall(frame.call)
        return .removed(call)
    }
}

/// Tasks whose calls have an outcome. The thread that read the answers resumes these tasks after it releases the
/// receiving lock.
struct AnsweredTasks: ~Copyable, Sendable {
    private let list = Mutex<[AnsweredTask]>([])
    /// Whether the list contains any task.
    private let isAny = Atomic<Bool>(false)

    var isEmpty: Bool { !isAny.load(ordering: .relaxed) }

    func keep(_ task: AnsweredTask) {
        list.withLock { list in
            list.append(task)
            // SYNC: `take` clears this word under the list's lock, which is held here too. The reader that stores true
            // here checks the word after it releases the receiving lock. If that reader then finds true, it takes the
            // tasks. If it finds false, another thread has taken them.
            isAny.store(true, ordering: .relaxed)
        }
    }

    func take() -> [AnsweredTask] {
        guard !isEmpty else { return [] }
        return list.withLock { list in
            isAny.store(false, ordering: .relaxed)
            defer { list = [] }
            return list
        }
    }
}

/// A task that is still to be resumed with the outcome of its call.
struct AnsweredTask: Sendable {
    let task: CheckedContinuation<ChannelCall.Outcome, Never>
    let outcome: ChannelCall.Outcome

    func resume() {
        task.resume(returning: outcome)
    }
}
