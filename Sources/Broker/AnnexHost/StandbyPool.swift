/// The bookkeeping of a standby: which extensions are parked, and how many should be parked. This type has no access to
/// processes or to the clock.
///
/// The target (`wanted`) is the number of extensions that should be parked. A request that finds no parked extension
/// raises the target by one, up to `most`. A period lasts half a minute. If some extensions stay parked during a whole
/// period, the target falls by their number, but not below `least`. After a period without a request, the target falls
/// by at least one. So without requests, the target falls to `least`. If fewer than `least` extensions are parked, the
/// missing extensions are launched without a request. After a failure, a pause comes before such a launch. The pause
/// grows with every further failure. Above `least`, extensions are launched only after a request.
struct StandbyPool<Occupant: AnyObject> {
    private let least: Int
    private let most: Int
    /// Whether an extension that has served a request may serve another request.
    private let reuses: Bool
    /// Parked extensions that have served no request. The extension that was parked first is at the front.
    private(set) var fresh: [Occupant] = []
    /// Parked extensions that have served a request and may serve another request until `until`. The extension that was
    /// parked first is at the front, and its time ends first.
    private(set) var used: [(occupant: Occupant, until: UInt64)] = []
    private(set) var wanted: Int
    private var launching = 0
    /// How many extensions serve a single request at the moment. They may return to the pool.
    private var out = 0
    /// The fewest extensions that were parked at the same time in this period.
    private var lowest = 0
    /// Whether a request came in this period.
    private var wasNeeded = false
    /// Whether all parked extensions were given up in this period.
    private var gaveUp = false
    /// The number of failures since a parked extension was last taken. A failure is a launch that failed, or the end of
    /// a parked extension.
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

    /// How many extensions are parked or will soon be parked.
    private var expected: Int { count + launching + (reuses ? out : 0) }

    /// Whether the end of a period could change anything.
    var mayShrink: Bool { !isClosed && (count > least || wanted != least) }

    /// How long to wait before extensions are launched because fewer than `least` are expected; nil if none are
    /// missing.
    var pause: Duration? {
        guard !isClosed, expected < min(least, wanted) else { return nil }
        return failures == 0 ? .zero : min(.milliseconds(100 << min(failures - 1, 10)), .seconds(60))
    }

    /// Takes a parked extension that has served no request, for a session. The result is nil if there is none.
    mutating func popFresh() -> Occupant? {
        let taken = fresh.popLast()
        record(taken)
        return taken
    }

    /// Takes a parked extension for a single request. The result is nil if no extension is parked. Also after a nil
    /// result, a call of `putBack` or `lost` must follow.
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

    /// Begins a round of launches. The round repeats the launches that failed before.
    mutating func startRound() {
        isResting = false
    }

    /// Whether to launch one more extension in this round. If the result is true, a call of `launched` or `failed` must
    /// follow.
    mutating func startLaunch() -> Bool {
        // An extension that will return needs no replacement.
        guard !isClosed, !isResting, expected < wanted else { return false }
        launching += 1
        return true
    }

    /// - Returns: false if the extension is no longer needed.
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

    /// Ends the round of launches after a failure, so that a pause comes before the next launch.
    private mutating func rest() {
        failures += 1
        isResting = true
    }

    /// Parks an extension that has served a request.
    /// - Parameter moment: the moment at which the time for further requests ends. It must be later than the moments of
    ///   all earlier calls.
    /// - Returns: false if there is no room for the extension.
    mutating func putBack(_ occupant: Occupant, until moment: UInt64) -> Bool {
        out -= 1
        guard reuses, !isClosed, count < most else { return false }
        used.append((occupant, moment))
        return true
    }

    /// Records that an extension that served a request does not return.
    mutating func lost() {
        out -= 1
    }

    /// The first moment at which the time of a used extension ends; nil if no used extension is parked.
    var nextDue: UInt64? { used.first?.until }

    /// - Returns: the used extensions whose time has ended.
    mutating func expire(at now: UInt64) -> [Occupant] {
        let due = used.prefix { $0.until <= now }.map(\.occupant)
        used.removeFirst(due.count)
        lowest = min(lowest, count)
        return due
    }

    /// Removes an extension that has ended.
    /// - Returns: whether the extension was parked.
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
    /// - Returns: the extensions that were not needed in the period. The caller ends them.
    mutating func shrink() -> [Occupant] {
        let surplus = max(0, min(lowest, count - least))
        // If a request came in the period, and at some moment no extension was parked, the target stays. If memory was
        // short in the period, the target does not change now. The end of the next period raises the target to `least`
        // again.
        if !gaveUp { wanted = max(least, wanted - (wasNeeded ? lowest : max(1, lowest))) }
        var gone: [Occupant] = []
        for _ in 0..<surplus { gone.append(used.isEmpty ? fresh.removeFirst() : used.removeFirst().occupant) }
        (lowest, wasNeeded, gaveUp) = (count, false, false)
        return gone
    }

    /// Gives up all parked extensions because memory is short. No extension is launched ahead until a request comes or
    /// a whole period has passed without another call of this function.
    mutating func empty() -> [Occupant] {
        defer { (fresh, used, lowest, gaveUp) = ([], [], 0, true) }
        wanted = 0
        return fresh + used.map(\.occupant)
    }

    /// Gives up all parked extensions permanently.
    mutating func close() -> [Occupant] {
        isClosed = true
        return empty()
    }
}
