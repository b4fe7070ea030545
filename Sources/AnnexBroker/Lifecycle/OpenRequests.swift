/// Requests that wait for an answer, each with the moment at which it began.
///
/// Told in the order in which they began, so the first is always the oldest.
struct OpenRequests: Sendable {
    private var open: [(request: UInt64, began: Moment)] = []

    var isEmpty: Bool { open.isEmpty }
    var count: Int { open.count }

    /// When the one began that has waited longest.
    var oldest: Moment? { open.first?.began }

    /// A number that is open already stays what it is: nobody gains time by saying it again.
    mutating func begin(_ request: UInt64, at now: Moment) {
        guard !open.contains(where: { $0.request == request }) else { return }
        open.append((request, now))
    }

    /// - Returns: when it began; nil for a number that is not open.
    mutating func end(_ request: UInt64) -> Moment? {
        open.firstIndex { $0.request == request }.map { open.remove(at: $0).began }
    }
}
