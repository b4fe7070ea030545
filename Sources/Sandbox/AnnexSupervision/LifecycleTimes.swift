internal import AnnexLinux
package import AnnexPolicy

/// The two kinds of supervised processes.
package enum LifeKind: String, Sendable, CaseIterable {
    /// An extension of a host, which the broker supervises.
    case `extension`
    /// A program of `annex run` or of the type `Sandbox`.
    case program

    /// The longest time from the kill to the kernel's report of the end.
    package var death: Duration { self == .program ? .seconds(10) : .seconds(5) }
}

/// The limits of each part of a life, and its memory limit. A limit is nil if the life has no such part.
package struct LifecycleTimes: Sendable, Equatable {
    var kind = LifeKind.extension
    /// The longest wait for an instance slot.
    var slot: Duration? = .seconds(10)
    /// The longest wait for the warden. The warden normally makes a process within milliseconds. If the limit is nil,
    /// `launch` covers this wait too.
    var queue: Duration? = .seconds(10)
    /// The longest time from the start of the process to its hello.
    var launch: Duration
    /// The longest time for each request. It is nil only for programs.
    var request: Duration?
    /// The longest time without a sign of life while a request is open.
    var watchdog: Duration?
    /// The grace: the time from the goodbye to the end. The goodbye informs the extension that its session is over. A
    /// program gets a signal instead.
    var grace: Duration
    /// The longest time from the close of the channel to the kernel's report of the end.
    var silence = Duration.seconds(5)
    /// The memory limit in bytes; nil if the process gets no warnings about its memory.
    var memory: UInt64?

    /// The time between two measurements of a busy extension's memory.
    static let measurement = Duration.milliseconds(100)

    /// If a clock input is late by more than this, the broker or the machine was held up.
    static let lateness = Duration.milliseconds(100)
}

extension LifecycleTimes {
    package init(_ limits: PolicyLimits, of kind: LifeKind) {
        let isEndless = PolicyLimits.isNone(limits.request)
        self.init(launch: limits.launch, request: isEndless ? nil : limits.request, grace: limits.grace)
        self.kind = kind
        let isExtension = kind == .extension
        slot = isExtension ? Self.launchWait(limits) : nil
        queue = slot
        watchdog = isExtension ? limits.watchdog : nil
        memory = isExtension ? limits.memory : nil
    }

    /// The longest wait for a slot, and for the warden. A policy with a longer launch limit is meant for a slow machine.
    /// So these limits grow with the launch limit.
    static func launchWait(_ limits: PolicyLimits) -> Duration { max(.seconds(10), limits.launch) }

    /// The parts of a launch that must be finished before the process serves.
    var ready: Lifecycle.Progress { kind == .program ? .executed : [.executed, .saidHello] }

    /// The longest time from the kill to the kernel's report of the end.
    var death: Duration { kind.death }

    /// The time between two pings to a busy extension.
    var ping: Duration? { watchdog.map { $0 / 4 } }

    /// The time from the goodbye to the warning that the grace is about to end.
    var warning: Duration { grace / 4 * 3 }

    /// If the extension uses this much memory, it gets a memory warning. It gets another warning only after its
    /// memory use has fallen below `calm`.
    static func alarm(_ memory: UInt64) -> UInt64 { memory / 5 * 4 }
    static func calm(_ memory: UInt64) -> UInt64 { memory / 10 * 7 }
}

/// A moment of a monotonic clock. Code that makes decisions reads no clock: it gets the moments with its inputs.
package struct Moment: Sendable, Hashable, Comparable {
    package let nanoseconds: UInt64

    package init(nanoseconds: UInt64) {
        self.nanoseconds = nanoseconds
    }

    package static var now: Moment { Moment(nanoseconds: MonotonicClock.now()) }

    package static func < (one: Moment, other: Moment) -> Bool { one.nanoseconds < other.nanoseconds }

    /// If the sum does not fit, the result is the last possible moment, which never comes.
    package static func + (moment: Moment, duration: Duration) -> Moment {
        let (sum, overflow) = moment.nanoseconds.addingReportingOverflow(MonotonicClock.nanoseconds(duration))
        return Moment(nanoseconds: overflow ? .max : sum)
    }

    /// The time since an earlier moment.
    package func since(_ earlier: Moment) -> Duration {
        .nanoseconds(Int64(clamping: nanoseconds - min(nanoseconds, earlier.nanoseconds)))
    }
}

/// The moments at which limits end. Each kind of limit has at most one moment.
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
    mutating func popDue(by now: Moment) -> Lifecycle.Limit? {
        guard let earliest, earliest <= now else { return nil }
        guard let limit = Lifecycle.Limit.allCases.first(where: { self[$0] == earliest }) else { return nil }
        self[limit] = nil
        return limit
    }
}

/// The requests that wait for an answer, each with the moment at which it began.
///
/// Requests are added in the order in which they began, so the first request is always the oldest.
package struct OpenRequests: Sendable {
    private var open: [(request: UInt64, began: Moment)] = []

    /// The moment at which the request that is now the oldest became the oldest; nil if no request is open.
    package private(set) var turn: Moment?

    package init() {}

    package var isEmpty: Bool { open.isEmpty }
    package var count: Int { open.count }

    /// Adds a request. A request that is already open keeps its moment. So a host gains no time by reporting the same
    /// request again.
    package mutating func begin(_ request: UInt64, at now: Moment) {
        guard !open.contains(where: { $0.request == request }) else { return }
        open.append((request, now))
        turn = turn ?? now
    }

    /// - Returns: the moment at which the request began; nil if no open request has this number.
    package mutating func end(_ request: UInt64, at now: Moment) -> Moment? {
        guard let index = open.firstIndex(where: { $0.request == request }) else { return nil }
        defer { if index == 0 { turn = open.isEmpty ? nil : now } }
        return open.remove(at: index).began
    }
}
