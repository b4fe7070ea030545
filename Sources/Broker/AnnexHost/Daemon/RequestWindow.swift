/// The turn of a request that waits in line. It is true if the request may be sent, and false if its caller stopped
/// waiting first.
typealias RequestTurn = Milestone<Bool>

/// Limits how many requests of this host the daemon has to answer at the same time.
///
/// A daemon rejects requests beyond its own limit. This window is smaller than that limit. So further requests wait
/// here, in the order in which they came. Their callers do not depend on whether the broker is a daemon.
struct RequestWindow: Sendable {
    /// The most requests that the daemon has to answer at the same time.
    private(set) var most = 32
    /// The numbers of the requests that were sent and not answered.
    private var open: Set<UInt64> = []
    /// How many requests have their turn and were not sent yet.
    private var granted = 0
    private var line: [RequestTurn] = []

    /// Sets the size that the daemon names. A daemon of an older version names none.
    mutating func resize(_ told: UInt64) {
        guard told > 0 else { return }
        most = Int(clamping: min(told, 1_024))
    }

    /// Puts a request at the end of the line.
    mutating func enter(_ turn: RequestTurn) {
        line.append(turn)
    }

    /// The turns that come now. The caller reaches them outside its lock.
    mutating func popTurns() -> [RequestTurn] {
        let count = min(line.count, max(0, most - open.count - granted))
        defer { line.removeFirst(count) }
        granted += count
        return Array(line.prefix(count))
    }

    /// Records that a request was sent after its turn came.
    mutating func recordSent(_ number: UInt64) {
        granted -= 1
        open.insert(number)
    }

    /// Records the answer to a request. A request whose caller stopped waiting stays open until this moment, because
    /// the daemon counts it until then.
    mutating func recordAnswer(_ number: UInt64) {
        open.remove(number)
    }

    /// Removes a request that was not sent. Its turn may have come meanwhile.
    mutating func leave(_ turn: RequestTurn) {
        if let place = line.firstIndex(where: { $0 === turn }) { line.remove(at: place) } else { granted -= 1 }
    }

    /// Forgets all requests, because the connection is over.
    /// - Returns: the requests that wait. Sending them fails, so their callers get the error of the connection.
    mutating func close() -> [RequestTurn] {
        defer {
            granted += line.count
            (open, line) = ([], [])
        }
        return line
    }
}
