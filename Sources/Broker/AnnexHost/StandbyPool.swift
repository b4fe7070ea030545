/// The numbers of a standby: who is parked, how many are wanted. Knows neither processes nor clock.
///
/// Who finds nobody parked makes one more wanted; whoever was parked through a whole period without being needed is one
/// too many. So an hour's rest leaves `least`, and a rush is met by up to `most`. What the lower bound lacks comes by
/// itself, after a pause that grows with every failure; more than that comes when somebody asks.
struct StandbyPool<Occupant: AnyObject> {
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
    /// Whether somebody came in this period.
    private var wasNeeded = false
    /// Whether everybody had to go in this period.
    private var gaveUp = false
    /// How many could not be launched, or ended while they were parked, since one was taken.
    private var failures = 0
    /// Whether the round of launches ended with a failure.
    private var isResting = false
    private(set) var isClosed = false

    init(keeping bounds: ClosedRange<Int>, reuses: Bool = false) {
        self.reuses = reuses
        least = max(0, bounds.lowerBound)
        most = max(0, bounds.upperBound)
        wanted = least
    }

    /// How many are parked.
    var count: Int { fresh.count + used.count }

    /// Who is parked, or about to be.
    private var expected: Int { count + launching + (reuses ? out : 0) }

    /// Whether a period of rest could change anything.
    var mayShrink: Bool { !isClosed && (count > least || wanted != least) }

    /// How long to wait before what the lower bound lacks is launched; nil where it lacks nothing.
    var pause: Duration? {
        guard !isClosed, expected < min(least, wanted) else { return nil }
        return failures == 0 ? .zero : min(.milliseconds(100 << min(failures - 1, 10)), .seconds(60))
    }

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
        if taken == nil { wanted = min(most, wanted + 1) } else { failures = 0 }
        wasNeeded = true
        lowest = min(lowest, count)
    }

    /// A round of launches begins: what failed before is tried again.
    mutating func startRound() {
        isResting = false
    }

    /// Whether one more is to be launched in this round; then `launched` or `failed` follows.
    mutating func startLaunch() -> Bool {
        // Who comes back needs no other in its stead.
        guard !isClosed, !isResting, expected < wanted else { return false }
        launching += 1
        return true
    }

    /// - Returns: false where nobody needs it any more.
    mutating func launched(_ occupant: Occupant) -> Bool {
        launching -= 1
        guard !isClosed, count < wanted else { return false }
        fresh.append(occupant)
        return true
    }

    mutating func failed() {
        launching -= 1
        rest()
    }

    /// Who fails again and again is not tried again at once.
    private mutating func rest() {
        failures += 1
        isResting = true
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

    /// It has ended.
    /// - Returns: whether it was parked.
    mutating func remove(_ occupant: Occupant) -> Bool {
        let before = count
        fresh.removeAll { $0 === occupant }
        used.removeAll { $0.occupant === occupant }
        lowest = min(lowest, count)
        guard count < before else { return false }
        rest()
        return true
    }

    /// A period is over.
    /// - Returns: those that were not needed in it.
    mutating func shrink() -> [Occupant] {
        let surplus = max(0, min(lowest, count - least))
        // Where all were needed, as many are wanted as before; after a shortage, the lower bound from the next period on.
        if !gaveUp { wanted = max(least, wanted - (wasNeeded ? lowest : max(1, lowest))) }
        var gone: [Occupant] = []
        for _ in 0..<surplus { gone.append(used.isEmpty ? fresh.removeFirst() : used.removeFirst().occupant) }
        (lowest, wasNeeded, gaveUp) = (count, false, false)
        return gone
    }

    /// Memory is short: everybody goes, and nobody is launched until one is needed or a whole period was quiet.
    mutating func empty() -> [Occupant] {
        defer { (fresh, used, lowest, gaveUp) = ([], [], 0, true) }
        wanted = 0
        return fresh + used.map(\.occupant)
    }

    /// For good.
    mutating func close() -> [Occupant] {
        isClosed = true
        return empty()
    }
}
