internal import AnnexLinux
internal import CAnnexLinux

/// How long to look before sleeping, learned from how earlier waits ended.
///
/// Looking costs a core, sleeping a wake-up. So this side looks for at most about as long as a wake-up takes, less
/// the more often that was in vain, and not at all while both ends share a core: there the answer cannot come before
/// this side sleeps.
struct Spinner: Sendable {
    /// Looks, each with a pause, of which a thousand take some 20 to 50 µs: what a wake-up on another core takes.
    static let most: UInt32 = 2048
    static let fewest: UInt32 = 16
    /// A sleep shorter than this had better been spent looking.
    private static let shortSleep: UInt64 = 100_000

    let style: WaitingStyle
    private var hint: ProcessorHint
    private(set) var budget: UInt32 = Spinner.most
    private var left: UInt32 = 0
    private var looks: UInt32 = 0
    private var began: UInt64 = 0
    /// When a task suspended whose answer has not come yet.
    private var suspended: UInt64?

    init(_ style: WaitingStyle, _ hint: ProcessorHint) {
        self.style = style
        self.hint = hint
    }

    /// A wait begins.
    @inline(__always) mutating func begin() {
        looks = 0
        left = style == .adaptive && !hint.isShared() ? budget : 0
    }

    /// Whether the last wait that began was worth looking, and did not look in vain.
    @inline(__always) var isWorthLooking: Bool { style == .spin || left > 0 }

    /// Lets a moment pass. False when it is time to sleep.
    @inline(__always) mutating func spin() -> Bool {
        looks &+= 1
        if style == .spin {
            // A peer on the same core must run some time.
            if looks & 1023 == 0 { Processor.yield() } else { annex_pause() }
            return true
        }
        guard left > 0 else { return false }
        left &-= 1
        annex_pause()
        return true
    }

    /// Whether it is time for what costs more than a look: asking the clock, and whether anything else has happened.
    @inline(__always) var isTimeToLookAround: Bool { looks & 63 == 63 }

    /// Looking was in vain, a sleep begins.
    mutating func willSleep() {
        began = style == .adaptive ? MonotonicClock.now() : 0
    }

    /// The sleep is over.
    mutating func slept() {
        guard style == .adaptive else { return }
        learn(from: MonotonicClock.now() &- began)
    }

    /// A task has looked in vain and suspends: the next answer shows how long that took.
    mutating func willSuspend() {
        guard style == .adaptive else { return }
        let now = MonotonicClock.now()
        // Another task waits since a moment ago: the answer to that one says what there is to say.
        if let start = suspended, now &- start < Spinner.shortSleep { return }
        wasAnswered(at: now)
        suspended = now
    }

    /// An answer came that nobody had found by looking.
    mutating func wasAnswered() {
        if suspended != nil { wasAnswered(at: MonotonicClock.now()) }
    }

    /// One that never came counts until now.
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

/// How an end of the channel waits for the other.
public enum WaitingStyle: Sendable, Hashable {
    /// Looks again and again: the shortest answer and a whole core.
    case spin
    /// Looks for about as long as sleeping would cost, then sleeps; learns from how the last waits ended.
    case adaptive
    /// Sleeps at once: no processor time, and a wake-up per message.
    case block
}

/// Which core each side waits on: looking for an answer is in vain while both share one.
///
/// Each says so in its own region when it begins to wait. The other side's word is a hint: false, it costs the one who
/// believes it some time within its own bounds.
struct ProcessorHint: Sendable {
    private let own: WritableWord
    private let peer: SharedWord
    private var told: UInt32 = 0

    init(own: WritableWord, peer: SharedWord) {
        self.own = own
        self.peer = peer
    }

    /// Says where this thread runs.
    /// - Returns: whether the other side was last heard of on the same core.
    mutating func isShared() -> Bool {
        let here = UInt32(bitPattern: Processor.current &+ 1)
        if here != told {
            told = here
            own.storeRelaxed(here)
        }
        return here != 0 && peer.loadRelaxed() == here
    }
}

/// Looks for room before sleeping for it: a reader at work makes some within microseconds.
struct RoomSpinner: Sendable {
    private static let mostLooks = 1024

    private let style: WaitingStyle
    private let processor: SharedWord

    init(_ style: WaitingStyle, _ processor: SharedWord) {
        self.style = style
        self.processor = processor
    }

    /// Whether the word becomes another than the one seen last, soon.
    func finds(_ word: SharedWord, other seen: UInt32) -> Bool {
        // A reader on this core goes on only when this side sleeps.
        guard style != .block, processor.loadRelaxed() != UInt32(bitPattern: Processor.current &+ 1) else {
            return false
        }
        for _ in 0..<RoomSpinner.mostLooks {
            if word.loadRelaxed() != seen { return true }
            Processor.pause()
        }
        return false
    }
}
