/// The numbers of a standby: who is parked, how many are wanted. Knows neither processes nor clock.
///
/// Who finds nobody parked makes one more wanted; whoever was parked through a whole period without being needed is one
/// too many. So an hour's rest leaves `least`, and a rush is met by up to `most`.
struct StandbyRoom<Occupant: AnyObject> {
    private let least: Int
    private let most: Int
    /// Whether one that has served a request may serve another.
    private let reuses: Bool
    /// Never used, longest parked first.
    private(set) var fresh: [Occupant] = []
    /// Have served a request, and may serve another until then: the longest parked first, which is due first.
    private(set) var used: [(occupant: Occupant, until: UInt64)] = []
    private(set) var wanted: Int
    private var launching = 0
    /// Serve a request and come back.
    private var out = 0
    /// The fewest that were parked at once in this period.
    private var lowest = 0
    private(set) var isClosed = false

    init(keeping bounds: ClosedRange<Int>, reuses: Bool = false) {
        self.reuses = reuses
        least = max(0, bounds.lowerBound)
        most = max(0, bounds.upperBound)
        wanted = least
    }

    /// How many are parked.
    var count: Int { fresh.count + used.count }

    /// Whether a period of rest could change anything.
    var mayShrink: Bool { !isClosed && (count > least || wanted > least) }

    /// Somebody for a session: one that has seen no other request.
    mutating func takeFresh() -> Occupant? {
        let taken = fresh.popLast()
        note(taken)
        return taken
    }

    /// Somebody for a single request, after which `putBack` or `lost` follows, also where there was nobody.
    mutating func takeAny() -> Occupant? {
        let taken = used.popLast()?.occupant ?? fresh.popLast()
        note(taken)
        out += 1
        return taken
    }

    private mutating func note(_ taken: Occupant?) {
        if taken == nil { wanted = min(most, wanted + 1) }
        lowest = min(lowest, count)
    }

    /// Whether one more is to be launched; then `launched` or `failed` follows.
    mutating func startLaunch() -> Bool {
        // Who comes back needs no other in its stead.
        guard !isClosed, count + launching + (reuses ? out : 0) < wanted else { return false }
        launching += 1
        return true
    }

    /// - Returns: false where nobody needs it any more.
    mutating func launched(_ occupant: Occupant) -> Bool {
        launching -= 1
        guard !isClosed, count < most else { return false }
        fresh.append(occupant)
        return true
    }

    mutating func failed() {
        launching -= 1
    }

    /// One that has served a request comes back, until a moment that is later than all before it.
    /// - Returns: false where there is no room for it.
    mutating func putBack(_ occupant: Occupant, until moment: UInt64) -> Bool {
        out -= 1
        guard reuses, !isClosed, count < most else { return false }
        used.append((occupant, moment))
        return true
    }

    /// One that served a request does not come back.
    mutating func lost() {
        out -= 1
    }

    /// When the next one's time is over.
    var nextDue: UInt64? { used.first?.until }

    /// - Returns: those that waited for as long as they may.
    mutating func expire(at now: UInt64) -> [Occupant] {
        let due = used.prefix { $0.until <= now }.map(\.occupant)
        used.removeFirst(due.count)
        lowest = min(lowest, count)
        return due
    }

    /// It has ended, or must not be used any more.
    /// - Returns: it, where it was parked.
    mutating func remove(_ occupant: Occupant) -> Occupant? {
        let parked = fresh.contains { $0 === occupant } || used.contains { $0.occupant === occupant }
        fresh.removeAll { $0 === occupant }
        used.removeAll { $0.occupant === occupant }
        lowest = min(lowest, count)
        return parked ? occupant : nil
    }

    /// A period is over.
    /// - Returns: those that were not needed in it.
    mutating func shrink() -> [Occupant] {
        let surplus = max(0, min(lowest, count - least))
        wanted = max(least, wanted - max(1, surplus))
        var gone: [Occupant] = []
        for _ in 0..<surplus { gone.append(used.isEmpty ? fresh.removeFirst() : used.removeFirst().occupant) }
        lowest = count
        return gone
    }

    /// Memory is short: everybody goes, and nobody is launched until one is needed.
    mutating func empty() -> [Occupant] {
        defer { (fresh, used, lowest) = ([], [], 0) }
        wanted = 0
        return fresh + used.map(\.occupant)
    }

    /// For good.
    mutating func close() -> [Occupant] {
        isClosed = true
        return empty()
    }
}
