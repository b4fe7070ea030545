/// Requests that wait for an answer, each with the moment at which it began.
///
/// Told in the order in which they began, so the first is always the oldest.
struct OpenRequests: Sendable {
    private var open: [(request: UInt64, began: Moment)] = []

    /// Since when the oldest is the one whose turn it is; nil while none is open.
    private(set) var turn: Moment?

    var isEmpty: Bool { open.isEmpty }
    var count: Int { open.count }

    /// A number that is open already stays what it is: nobody gains time by saying it again.
    mutating func begin(_ request: UInt64, at now: Moment) {
        guard !open.contains(where: { $0.request == request }) else { return }
        open.append((request, now))
        turn = turn ?? now
    }

    /// - Returns: when it began; nil for a number that is not open.
    mutating func end(_ request: UInt64, at now: Moment) -> Moment? {
        guard let index = open.firstIndex(where: { $0.request == request }) else { return nil }
        defer { if index == 0 { turn = open.isEmpty ? nil : now } }
        return open.remove(at: index).began
    }
}
