internal import AnnexLinux

/// The calls that have no outcome yet. Taking a call out of here is what resolves it: so each resolves once.
struct CallTable: Sendable {
    private(set) var lastID: UInt64 = 0
    private(set) var open: [UInt64: ChannelCall] = [:]
    private var accepting = 0
    /// Calls that this side gave up, each of which may still be answered once.
    private var forgone: UInt64 = 0
    /// Threads that sleep for an outcome and may be asked to look after the ring.
    private var sleepers: [(call: UInt64, parker: Parker)] = []
    /// Why no call can be made any more.
    private(set) var closed: CallFailure?
    /// Why the channel is about to be closed.
    private(set) var ending: String?

    var count: Int { open.count }

    /// Why no call can enter; nil where one can.
    func refusal(atMost most: Int) -> CallFailure? {
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

    /// - Returns: whether the call was there, and whether no open call accepts descriptors any more.
    mutating func takeOut(_ id: UInt64) -> (wasThere: Bool, nobodyAccepts: Bool) {
        guard let call = open.removeValue(forKey: id) else { return (false, false) }
        guard call.accepts.pieces > 0 else { return (true, false) }
        accepting &-= 1
        return (true, accepting == 0)
    }

    mutating func forgo() {
        forgone &+= 1
    }

    /// Whether a late answer is one that had to be expected.
    mutating func expectsLateAnswer() -> Bool {
        guard forgone > 0 else { return false }
        forgone &-= 1
        return true
    }

    mutating func willEnd(_ reason: String) {
        if ending == nil { ending = reason }
    }

    /// Takes every call out for the last time.
    mutating func close(_ failure: CallFailure) -> [ChannelCall] {
        guard closed == nil else { return [] }
        closed = failure
        defer { open = [:] }
        return Array(open.values)
    }

    mutating func addSleeper(_ call: UInt64, _ parker: Parker) {
        sleepers.append((call, parker))
    }

    mutating func removeSleeper(_ call: UInt64) {
        sleepers.removeAll { $0.call == call }
    }

    func firstSleeper() -> Parker? {
        sleepers.first?.parker
    }
}

extension CallTable {
    /// What a number from the wire can mean.
    enum Lookup {
        case open(ChannelCall)
        /// Taken out by this very look: the caller resolves it.
        case taken(ChannelCall)
        /// Once issued, resolved since.
        case late
        case neverIssued
    }

    func find(_ id: UInt64) -> Lookup {
        if let call = open.value(of: id) { return .open(call) }
        return id <= lastID && id > 0 ? .late : .neverIssued
    }

    /// Looks up whose answer a frame is, and takes the call out at once where the frame needs no further check.
    mutating func match(_ frame: Frame) -> Lookup {
        let found = find(frame.call)
        guard case .open(let call) = found, frame.kind == .reply, frame.descriptors == 0, !call.isPing,
            frame.method == call.method, call.accepts.pieces == 0
        else { return found }
        _ = takeOut(frame.call)
        return .taken(call)
    }
}
