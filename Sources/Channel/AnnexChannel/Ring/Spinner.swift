internal import AnnexLinux
internal import CAnnexLinux

/// Decides, from the lengths of earlier waits, how long to spin before sleeping. To spin is to check again and again
/// without sleeping.
///
/// Spinning uses a core, and sleeping costs a wake-up. So this side spins for at most about the duration of a wake-up.
/// If a wait was long although this side spun, the next spin is halved. If the wait was short, the next spin is
/// doubled, up to the duration of a wake-up. This side does not spin while both ends share a core. On a shared core,
/// the other end can answer only after this side sleeps.
struct Spinner: Sendable {
    /// The most checks of one wait. A pause follows each check. A thousand checks take about 20 to 50 µs, as long as a
    /// wake-up on another core.
    static let most: UInt32 = 2048
    static let fewest: UInt32 = 16
    /// A duration in nanoseconds. If a sleep was shorter than this, spinning would have been better.
    private static let shortSleep: UInt64 = 100_000

    let style: WaitingStyle
    private var hint: ProcessorHint
    private(set) var budget: UInt32 = Spinner.most
    private var left: UInt32 = 0
    private var polls: UInt32 = 0
    private var began: UInt64 = 0
    /// The moment at which the last task suspended, if its answer has not come yet.
    private var suspended: UInt64?

    init(_ style: WaitingStyle, hint: ProcessorHint) {
        self.style = style
        self.hint = hint
    }

    /// Begins a wait.
    @inline(__always) mutating func begin() {
        polls = 0
        left = style == .adaptive && !hint.isShared() ? budget : 0
    }

    /// Whether the current wait may still spin.
    @inline(__always) var isWorthPolling: Bool { style == .spin || left > 0 }

    /// Pauses for a moment.
    /// - Returns: false when it is time to sleep.
    @inline(__always) mutating func spin() -> Bool {
        polls &+= 1
        if style == .spin {
            // The thread yields from time to time, so that a peer on the same core can run.
            if polls & 1023 == 0 { Processor.yield() } else { annex_pause() }
            return true
        }
        guard left > 0 else { return false }
        left &-= 1
        annex_pause()
        return true
    }

    /// Whether to check the clock and other events too. This full check costs more than a check of the ring.
    @inline(__always) var isTimeForFullCheck: Bool { polls & 63 == 63 }

    /// Records that a sleep begins, because spinning was futile.
    mutating func willSleep() {
        began = style == .adaptive ? MonotonicClock.now() : 0
    }

    /// Records that the sleep is over.
    mutating func slept() {
        guard style == .adaptive else { return }
        learn(from: MonotonicClock.now() &- began)
    }

    /// Records that a task suspends, because spinning was futile. The next answer shows how long the wait took.
    mutating func willSuspend() {
        guard style == .adaptive else { return }
        let now = MonotonicClock.now()
        // If another task suspended a moment ago, that task's answer gives the same information.
        if let start = suspended, now &- start < Spinner.shortSleep { return }
        wasAnswered(at: now)
        suspended = now
    }

    /// Records an answer that no caller found by spinning.
    mutating func wasAnswered() {
        if suspended != nil { wasAnswered(at: MonotonicClock.now()) }
    }

    /// Learns from the suspended task's wait. If the answer has not come, the wait is measured up to `now`.
    private mutating func wasAnswered(at now: UInt64) {
        guard let start = suspended else { return }
        suspended = nil
        learn(from: now &- start)
    }

    private mutating func learn(from wait: UInt64) {
        if wait < Spinner.shortSleep {
            budget = min(budget &* 2, Spinner.most)
        } else {
            budget = max(budget / 2, Spinner.fewest)
        }
    }
}

/// How an end of the channel waits for the other end.
public enum WaitingStyle: Sendable, Hashable {
    /// Spins without sleeping. This gives the shortest latency, but uses a whole core.
    case spin
    /// Spins for about as long as a wake-up would take, then sleeps. Adapts to the lengths of earlier waits.
    case adaptive
    /// Sleeps at once. Waiting uses no processor time, but each message needs a wake-up.
    case block
}

/// The cores on which the two sides wait. Spinning is futile while both sides share a core.
///
/// Each side writes its core to its own region when it begins to wait. The other side's word is only a hint. If the
/// hint is false, this side only loses some time, within its own limits.
struct ProcessorHint: Sendable {
    private let own: WritableWord
    private let peer: SharedWord
    private var published: UInt32 = 0

    init(own: WritableWord, peer: SharedWord) {
        self.own = own
        self.peer = peer
    }

    /// Publishes the core on which this thread runs.
    /// - Returns: whether the other side last waited on the same core.
    mutating func isShared() -> Bool {
        let here = UInt32(bitPattern: Processor.current &+ 1)
        if here != published {
            published = here
            own.storeRelaxed(here)
        }
        return here != 0 && peer.loadRelaxed() == here
    }
}

/// Spins before sleeping for room in the ring, because a running reader makes room within microseconds.
struct RoomSpinner: Sendable {
    private static let mostPolls = 1024

    private let style: WaitingStyle
    private let processor: SharedWord

    init(_ style: WaitingStyle, processor: SharedWord) {
        self.style = style
        self.processor = processor
    }

    /// Spins for a moment, and returns whether the word gets a value other than `seen` meanwhile.
    func finds(_ word: SharedWord, other seen: UInt32) -> Bool {
        // A reader on this core continues only after this side sleeps.
        guard style != .block, processor.loadRelaxed() != UInt32(bitPattern: Processor.current &+ 1) else {
            return false
        }
        for _ in 0..<RoomSpinner.mostPolls {
            if word.loadRelaxed() != seen { return true }
            Processor.pause()
        }
        return false
    }
}
