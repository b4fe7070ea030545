/// The requests that wait for an answer, each with the moment at which it began.
///
/// They are added in the order in which they began, so the first one is always the oldest.
struct OpenRequests: Sendable {
    private var open: [(request: UInt64, began: Moment)] = []

    /// Since when the oldest request has had no older one before it; nil if none is open.
    private(set) var turn: Moment?

    var isEmpty: Bool { open.isEmpty }
    var count: Int { open.count }

    /// Adds a request. A number that is already open keeps its moment, so that repeating it gains no time.
    mutating func begin(_ request: UInt64, at now: Moment) {
        guard !open.contains(where: { $0.request == request }) else { return }
        open.append((request, now))
        turn = turn ?? now
    }

    /// - Returns: the moment at which the request began; nil if the number is not open.
    mutating func end(_ request: UInt64, at now: Moment) -> Moment? {
        guard let index = open.firstIndex(where: { $0.request == request }) else { return nil }
        defer { if index == 0 { turn = open.isEmpty ? nil : now } }
        return open.remove(at: index).began
    }
}
