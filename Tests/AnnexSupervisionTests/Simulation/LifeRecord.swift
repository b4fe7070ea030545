@testable import AnnexSupervision

/// The observations of one life, and the rules that it broke.
struct LifeRecord {
    private(set) var failures: [String] = []
    let isTraced: Bool
    private(set) var trace: [String] = []
    private(set) var cause: EndCause??
    private var asked: Moment?
    private var ended: Moment?
    private var slotsAsked = 0
    private var slotsGivenBack = 0
    private var announced = 0
    private var isKilled = false
    private var killed: Moment?
    private var isClosed = false
    private(set) var isServing = false

    init(isTraced: Bool) {
        self.isTraced = isTraced
    }

    mutating func fail(_ text: String) {
        if !failures.contains(text) { failures.append(text) }
    }

    mutating func note(_ input: Lifecycle.Input, at now: Moment) {
        if isTraced { trace.append("\(now.nanoseconds / 1000) µs  \(input)") }
        if asked == nil { asked = now }
        switch input {
        case .channelClosed: (isServing, isClosed) = (false, true)
        case .dismissed, .mustEnd, .died, .gone: isServing = false
        default: break
        }
    }

    mutating func note(_ effect: Lifecycle.Effect, at now: Moment) {
        if isTraced { trace.append("\(now.nanoseconds / 1000) µs    → \(effect)") }
        if ended != nil, effect != .wake(nil) { fail("\(effect) after the end") }
        switch effect {
        case .askForSlot: slotsAsked += 1
        case .giveBackSlot: slotsGivenBack += 1
        case .announce:
            announced += 1
            // The broker may still report a process that is already gone.
            isServing = !isClosed
        case .kill:
            isKilled = true
            killed = killed ?? now
            isServing = false
        case .ping, .measureStarvation, .measureMemory, .warnOfMemory, .sayGoodbye, .warnOfEnd:
            if isKilled { fail("\(effect) for one that was killed") }
        case .finish(let cause):
            self.cause = cause
            ended = now
        case .launch, .wake: break
        }
    }

    /// Checks the rules at the moment when no event can follow any more.
    mutating func judge(conduct: Conduct, times: LifecycleTimes, isAlive: Bool, timerIsSet: Bool) {
        guard let cause, let asked, let ended else { return fail("no end was told") }
        if timerIsSet { fail("a timer is left") }
        let slots = times.slot == nil ? 0 : 1
        if slotsAsked != slots || slotsGivenBack != slots {
            fail("\(slotsAsked) slots asked for, \(slotsGivenBack) given back")
        }
        if announced > 1 { fail("announced \(announced) times") }
        let timers = conduct.lateness + .milliseconds(10)
        if let killed, ended.since(killed) > conduct.longestDeath(times) + timers {
            fail("killed, and told so much too late")
        }
        if ended.since(asked) > times.longest + timers * 20 { fail("an end without a bound") }
        if isAlive, !cause.isStuck { fail("told as ended and alive") }
        if case .some(let expected) = conduct.expectedCause(of: times.kind), cause != expected {
            fail("told \(String(describing: cause)), expected \(String(describing: expected))")
        }
    }
}

extension LifecycleTimes {
    /// The longest possible simulated life: at most five requests, and four seconds for the delays of the simulated
    /// world.
    fileprivate var longest: Duration {
        let waits = (slot ?? .zero) + (queue ?? .zero)
        return waits + launch + (request ?? .zero) * 5 + grace + silence + death + .seconds(4)
    }
}

extension Conduct {
    /// If a broker learns late that a process should be dead, it waits one more time.
    fileprivate func longestDeath(_ times: LifecycleTimes) -> Duration {
        lateness > LifecycleTimes.lateness ? times.death * 2 + lateness : times.death
    }
}

extension EndCause? {
    /// Only a process that no signal reaches may still live after its end was reported.
    var isStuck: Bool {
        if case .stuck = self { true } else { false }
    }
}
