/// The numbers of a standby: which extensions are parked, and how many are wanted. It knows neither processes nor the
/// clock.
///
/// A request that finds no parked extension raises the target by one, up to `most`. If some extensions stay parked
/// during a whole period, the target falls by their number, but not below `least`. After a period without a request, it
/// falls by at least one. So without requests the target falls to `least`. If fewer than `least` are parked, the
/// missing ones are launched without a request, after a pause that grows with every failure. Above `least`, extensions
/// are launched only after a request.
struct StandbyPool<Occupant: AnyObject> {
    private let least: Int
    private let most: Int
    /// Whether an extension that has served a request may serve another.
    private let reuses: Bool
    /// Parked extensions that have served no request, the longest parked first.
    private(set) var fresh: [Occupant] = []
    /// Parked extensions that have served a request and may serve another until `until`. The longest parked is first,
    /// and its time ends first.
    private(set) var used: [(occupant: Occupant, until: UInt64)] = []
    private(set) var wanted: Int
    private var launching = 0
    /// How many extensions serve a single request at the moment and may come back.
    private var out = 0
    /// The fewest extensions that were parked at the same time in this period.
    private var lowest = 0
    /// Whether a request came in this period.
    private var wasNeeded = false
    /// Whether all parked extensions were given up in this period.
    private var gaveUp = false
    /// How many launches failed, or parked extensions ended, since a parked one was last taken.
    private var failures = 0
    /// Whether a failure has ended the round of launches.
    private var isResting = false
    private(set) var isClosed = false

    init(keeping bounds: ClosedRange<Int>, reuses: Bool = false) {
        self.reuses = reuses
        least = max(0, bounds.lowerBound)
        most = max(0, bounds.upperBound)
        wanted = least
    }

    /// How many extensions are parked.
    var count: Int { fresh.count + used.count }

    /// How many extensions are parked or will be soon.
    private var expected: Int { count + launching + (reuses ? out : 0) }

    /// Whether the end of a period could change anything.
    var mayShrink: Bool { !isClosed && (count > least || wanted != least) }

    /// How long to wait before launching the extensions that are missing below `least`; nil if none are missing.
    var pause: Duration? {
        guard !isClosed, expected < min(least, wanted) else { return nil }
        return failures == 0 ? .zero : min(.milliseconds(100 << min(failures - 1, 10)), .seconds(60))
    }

    /// Takes a parked extension that has served no request, for a session; nil if there is none.
    mutating func popFresh() -> Occupant? {
        let taken = fresh.popLast()
        record(taken)
        return taken
    }

    /// Takes a parked extension for a single request; nil if there is none. `putBack` or `lost` must follow in both
    /// cases.
    mutating func popAny() -> Occupant? {
        let taken = used.popLast()?.occupant ?? fresh.popLast()
        record(taken)
        out += 1
        return taken
    }

    private mutating func record(_ taken: Occupant?) {
        if taken == nil { wanted = min(most, wanted + 1) } else { failures = 0 }
        wasNeeded = true
        lowest = min(lowest, count)
    }

    /// Begins a round of launches, which tries again what failed before.
    mutating func startRound() {
        isResting = false
    }

    /// Whether to launch one more extension in this round. If true, `launched` or `failed` must follow.
    mutating func startLaunch() -> Bool {
        // An extension that will come back needs no replacement.
        guard !isClosed, !isResting, expected < wanted else { return false }
        launching += 1
        return true
    }

    /// - Returns: false if the extension is not needed any more.
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

    /// Ends the round of launches, so that repeated failures do not launch again and again without a pause.
    private mutating func rest() {
        failures += 1
        isResting = true
    }

    /// Parks an extension again that has served a request.
    /// - Parameter moment: when its time ends. This must be later than the moments of all earlier calls.
    /// - Returns: false if there is no room for it.
    mutating func putBack(_ occupant: Occupant, until moment: UInt64) -> Bool {
        out -= 1
        guard reuses, !isClosed, count < most else { return false }
        used.append((occupant, moment))
        return true
    }

    /// Records that an extension that served a request does not come back.
    mutating func lost() {
        out -= 1
    }

    /// When the time of the next used extension ends; nil if none is parked.
    var nextDue: UInt64? { used.first?.until }

    /// - Returns: the used extensions whose time has ended.
    mutating func expire(at now: UInt64) -> [Occupant] {
        let due = used.prefix { $0.until <= now }.map(\.occupant)
        used.removeFirst(due.count)
        lowest = min(lowest, count)
        return due
    }

    /// Removes an extension that has ended.
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

    /// Ends a period.
    /// - Returns: the extensions that were not needed in it, which the caller ends.
    mutating func shrink() -> [Occupant] {
        let surplus = max(0, min(lowest, count - least))
        // If a request came in the period, and no extension was parked at one moment or more, the target stays. If
        // memory was short in the period, the target does not change now; the next period's end raises it to `least`
        // again.
        if !gaveUp { wanted = max(least, wanted - (wasNeeded ? lowest : max(1, lowest))) }
        var gone: [Occupant] = []
        for _ in 0..<surplus { gone.append(used.isEmpty ? fresh.removeFirst() : used.removeFirst().occupant) }
        (lowest, wasNeeded, gaveUp) = (count, false, false)
        return gone
    }

    /// Gives up all parked extensions because memory is short. None is launched ahead until a request comes or a whole
    /// period has passed quietly.
    mutating func empty() -> [Occupant] {
        defer { (fresh, used, lowest, gaveUp) = ([], [], 0, true) }
        wanted = 0
        return fresh + used.map(\.occupant)
    }

    /// Gives up all parked extensions for good.
    mutating func close() -> [Occupant] {
        isClosed = true
        return empty()
    }
}
