/// Finds the known name that a misspelled name probably means.
package enum NearestName {
    /// The known name with the fewest changed letters; nil if too many are changed for a typing error.
    package static func of(_ name: String, among known: some Sequence<String>) -> String? {
        let allowed = max(1, name.count / 3)
        let ranked = known.map { (distance: distance(name, $0, atMost: allowed), name: $0) }
        let best = ranked.filter { $0.distance <= allowed }.min { ($0.distance, $0.name) < ($1.distance, $1.name) }
        return best?.name
    }

    /// The number of letters to insert, remove, change or swap with a neighbour. A distance above `limit` may be
    /// returned as `limit + 1`.
    static func distance(_ one: String, _ other: String, atMost limit: Int) -> Int {
        let from = Array(one.lowercased().utf8)
        let to = Array(other.lowercased().utf8)
        guard abs(from.count - to.count) <= limit else { return limit + 1 }
        var before = [Int](repeating: 0, count: to.count + 1)
        var last = Array(0...to.count)
        for row in from.indices {
            var next = [row + 1]
            for column in to.indices {
                let change = last[column] + (from[row] == to[column] ? 0 : 1)
                var cost = min(change, last[column + 1] + 1, next[column] + 1)
                let swapped = row > 0 && column > 0 && from[row] == to[column - 1] && from[row - 1] == to[column]
                if swapped { cost = min(cost, before[column - 1] + 1) }
                next.append(cost)
            }
            before = last
            last = next
        }
        return last[to.count]
    }
}
