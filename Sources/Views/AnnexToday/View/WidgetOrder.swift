/// The user's order of the widgets of a view. It is a pure value.
struct WidgetOrder: Sendable {
    /// The identifiers of the widgets, from top to bottom.
    private(set) var identifiers: [String] = []
    /// How often the user has moved a widget.
    private(set) var moves = 0

    /// Takes over the widgets of a new list.
    /// - Parameters:
    ///   - widgets: all widgets of the view. A widget without a place in the kept order comes after the other widgets,
    ///     in the order of this list.
    ///   - kept: the order that was read from disk.
    ///   - moves: the number of moves when `kept` was read. If the user has moved a widget since then, `kept` may be
    ///     out of date, and the present order counts.
    mutating func take(_ widgets: [String], by kept: [String], asOf moves: Int) {
        let kept = moves == self.moves ? kept : identifiers
        let places = Dictionary(kept.enumerated().map { ($1, $0) }) { first, _ in first }
        identifiers = widgets.enumerated().sorted { one, other in
            (places[one.element] ?? .max, one.offset) < (places[other.element] ?? .max, other.offset)
        }.map(\.element)
    }

    /// Moves a widget to another place among the widgets that are shown. Widgets whose cards are not shown keep their
    /// places.
    /// - Parameters:
    ///   - place: counted from 0. A place beyond the last place counts as the last place.
    ///   - shown: the widgets whose cards are shown, from top to bottom.
    /// - Returns: false if the order does not contain the widget.
    mutating func move(_ identifier: String, to place: Int, among shown: [String]) -> Bool {
        guard let old = identifiers.firstIndex(of: identifier) else { return false }
        identifiers.remove(at: old)
        let others = shown.filter { $0 != identifier }
        let next = others.indices.contains(place) ? identifiers.firstIndex(of: others[place]) : nil
        identifiers.insert(identifier, at: next ?? identifiers.count)
        moves += 1
        return true
    }
}
