/// A mistake that makes a policy, or the file of an extension point, unusable.
public struct PolicyError: Error, Sendable, Hashable {
    /// The place of the mistake; nil if the mistake is not in a text.
    public let place: PolicyPlace?
    /// The problem, as a phrase without a full stop.
    public let problem: String
    /// The nearest known name, if the mistake may be a misspelled name.
    public let suggestion: String?

    public init(_ problem: String, at place: PolicyPlace? = nil, suggestion: String? = nil) {
        self.place = place
        self.problem = problem
        self.suggestion = suggestion
    }
}

extension PolicyError: CustomStringConvertible {
    public var description: String {
        let start = place.map { "\($0): " } ?? ""
        let end = suggestion.map { "; did you mean `\($0)`?" } ?? ""
        return start + problem + end
    }
}

/// A place in a policy's text. Lines and columns count from 1.
public struct PolicyPlace: Sendable, Hashable {
    /// The file's name, for example `compute.yaml`.
    public let file: String
    public let line: Int
    public let column: Int

    public init(file: String, line: Int, column: Int) {
        self.file = file
        self.line = line
        self.column = column
    }

    /// Whether this place comes before the other place in the order of reading.
    package func comesBefore(_ other: PolicyPlace) -> Bool {
        (file, line, column) < (other.file, other.line, other.column)
    }
}

extension PolicyPlace: CustomStringConvertible {
    public var description: String { "\(file):\(line):\(column)" }
}

/// Finds the known name that the author of a misspelled name probably meant.
package enum NearestName {
    /// The known name with the fewest changed letters; nil if the names differ too much for a typing error.
    package static func of(_ name: String, among known: some Sequence<String>) -> String? {
        let allowed = max(1, name.count / 3)
        let ranked = known.map { (distance: distance(from: name, to: $0, atMost: allowed), name: $0) }
        let best = ranked.filter { $0.distance <= allowed }.min { ($0.distance, $0.name) < ($1.distance, $1.name) }
        return best?.name
    }

    /// The number of letters that must be inserted, removed, changed or swapped with a neighbour. A distance above
    /// `limit` may be returned as `limit + 1`.
    static func distance(from one: String, to other: String, atMost limit: Int) -> Int {
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
