/// The moments at which limits end, at most one for each kind of limit.
struct Deadlines: Sendable {
    private var moments = [Moment?](repeating: nil, count: Lifecycle.Limit.allCases.count)

    subscript(_ limit: Lifecycle.Limit) -> Moment? {
        get { moments[limit.rawValue] }
        set { moments[limit.rawValue] = newValue }
    }

    var earliest: Moment? { moments.compactMap(\.self).min() }

    mutating func clear() {
        for index in moments.indices { moments[index] = nil }
    }

    /// Removes and returns the limit that ended first; nil if none has ended yet.
    mutating func takeDue(by now: Moment) -> Lifecycle.Limit? {
        guard let earliest, earliest <= now else { return nil }
        guard let limit = Lifecycle.Limit.allCases.first(where: { self[$0] == earliest }) else { return nil }
        self[limit] = nil
        return limit
    }
}
