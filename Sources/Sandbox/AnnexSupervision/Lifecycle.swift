/// The life of one extension or program as a pure state machine. Each input at a moment changes the state and returns
/// effects. The caller reads the clock, talks to the kernel and keeps one timer for the state machine.
///
/// The life of a program has fewer parts: it needs no slot, says no hello and gets no goodbye, and no watchdog pings it.
/// Its whole run is one request.
///
/// The first cause of an end is the reported cause, because later causes are its consequences.
package struct Lifecycle: Sendable {
    package private(set) var state = State.new
    package let times: LifecycleTimes
    private var deadlines = Deadlines()
    /// The moment that the last `wake` effect named.
    private var wakes: Moment?
    private var progress: Progress = []
    private var requests = OpenRequests()
    private var activities = 0
    /// The last moment at which a busy extension is known to have been alive.
    private var lastSign = Moment(nanoseconds: 0)
    /// Whether the host has passed the last ping on. If not, the extension's silence does not count against the
    /// extension.
    private var isPinged = true
    /// The moment of the watchdog's next check.
    private var nextWatch = Moment(nanoseconds: 0)
    /// Whether the channel is closed. If so, the extension's process must end within `LifecycleTimes.silence`.
    private var isSilent = false
    private var isShortOfMemory = false
    /// The moment of the kill; nil before the kill. `outlived` sets it to nil again at the first deadline for the death,
    /// so that it waits only once more.
    private var killed: Moment?
    /// A cause for ending the extension. The cause arrived before the launch was requested.
    private var doom: EndCause?
    /// Whether a helper process kills the program at its time limit, even while this process is stopped.
    private var hasStandIn = false
    /// Whether the kernel has reported the process's death.
    private var isDead = false

    package init(_ times: LifecycleTimes) {
        self.times = times
    }

    /// Whether a request is open.
    package var isAtWork: Bool { !requests.isEmpty }

    /// When the time limit of the oldest request ends; nil if no request is open, or if requests have no limit.
    package var requestLimit: Moment? { deadlines[.request] }

    package mutating func handle(_ input: Input, at now: Moment) -> [Effect] {
        // After the process's death, no input can be the reason for its end.
        guard !isDead || input == .gone else { return [] }
        var effects: [Effect]
        if input == .clock {
            wakes = nil
            effects = passTime(to: now)
        } else {
            effects = react(to: input, at: now)
        }
        let next = deadlines.earliest
        if next != wakes {
            wakes = next
            effects.append(.wake(next))
        }
        return effects
    }

    private mutating func passTime(to now: Moment) -> [Effect] {
        var effects: [Effect] = []
        while let limit = deadlines.popDue(by: now) { effects += passed(limit, at: now) }
        return effects
    }

    private mutating func react(to input: Input, at now: Moment) -> [Effect] {
        if input == .died { recordDeath(at: now) }
        return switch state {
        case .new, .waiting: waiting(input, at: now)
        case .launching: launching(input, at: now)
        case .serving: serving(input, at: now)
        case .tidying(let cause): tidying(input, cause: cause, at: now)
        // Inputs that arrive while the process is being ended do not change the cause of the end.
        case .ending(let cause): input == .gone ? finish(cause) : []
        case .ended: []
        }
    }

    // MARK: Before there is a process

    private mutating func waiting(_ input: Input, at now: Moment) -> [Effect] {
        switch (input, state) {
        // Before its launch is requested, an extension has no process and no slot, so only the cause is recorded.
        case (.mustEnd(let cause), .new): doom = doom ?? cause
        case (.asked, .new):
            if let doom { return finish(doom) }
            guard let slot = times.slot else { return launch(at: now) }
            state = .waiting
            deadlines[.slot] = now + slot
            return [.askForSlot]
        case (.slotGranted, .waiting): return launch(at: now)
        case (.dismissed(let cause), .waiting), (.mustEnd(let cause), .waiting): return finish(cause)
        case (.gone, .waiting): return finish(nil)
        default: break
        }
        return []
    }

    // MARK: From the slot to the hello

    private mutating func launch(at now: Moment) -> [Effect] {
        state = .launching
        deadlines[.slot] = nil
        if let queue = times.queue { deadlines[.queue] = now + queue } else { deadlines[.launch] = now + times.launch }
        return [.launch]
    }

    private mutating func launching(_ input: Input, at now: Moment) -> [Effect] {
        switch input {
        case .started:
            progress.insert(.started)
            return awaitTheRest(at: now)
        case .executed:
            progress.insert(.executed)
            return awaitTheRest(at: now)
        case .saidHello:
            progress.insert(.saidHello)
            return awaitTheRest(at: now)
        case .channelClosed: return fallSilent(at: now)
        case .dismissed where times.kind == .program: return awaitStop(at: now)
        case .standInTook: hasStandIn = true
        case .dismissed(let cause), .mustEnd(let cause): return end(cause, at: now)
        case .gone: return finish(nil)
        default: break
        }
        return []
    }

    /// The launch limit covers the time from the process's start to the hello. The warden does the steps before that.
    /// These steps must end before the deadline `queue`. If the life has no such deadline, the launch limit covers them
    /// too.
    private mutating func awaitTheRest(at now: Moment) -> [Effect] {
        guard !progress.isSuperset(of: times.ready) else { return serve(at: now) }
        guard let queue = times.queue else { return [] }
        let awaitsHello = progress.contains(.started) && !progress.contains(.saidHello)
        deadlines[.launch] = awaitsHello ? deadlines[.launch] ?? now + times.launch : nil
        deadlines[.queue] = awaitsHello ? nil : now + queue
        return []
    }

    private mutating func serve(at now: Moment) -> [Effect] {
        deadlines[.launch] = nil
        deadlines[.queue] = nil
        state = .serving
        if times.kind == .program { begin(0, at: now) }
        return [.announce]
    }

    // MARK: Busy or idle

    private mutating func serving(_ input: Input, at now: Moment) -> [Effect] {
        switch input {
        case .requestBegan(let request): begin(request, at: now)
        case .requestEnded(let request): endRequest(request, at: now)
        case .gaveSign: lastSign = now
        case .pingPassedOn: isPinged = true
        case .activityBegan, .activityEnded: countActivities(input)
        case .memoryUsed(let bytes): return check(memory: bytes)
        case .dismissed where times.kind == .program: return awaitStop(at: now)
        case .dismissed(let cause): return dismiss(cause, at: now)
        case .standInTook: hasStandIn = true
        case .channelClosed: return fallSilent(at: now)
        case .mustEnd(let cause): return end(cause, at: now)
        case .gone: return finish(nil)
        case .asked, .slotGranted, .started, .executed, .saidHello, .died, .clock: break
        }
        return []
    }

    private mutating func begin(_ request: UInt64, at now: Moment) {
        let wasIdle = requests.isEmpty
        requests.begin(request, at: now)
        guard wasIdle else { return }
        lastSign = now
        isPinged = true
        limitOldest()
        if let ping = times.ping { watchNext(at: now + ping) }
        if times.memory != nil { deadlines[.measurement] = now + LifecycleTimes.measurement }
    }

    private mutating func endRequest(_ request: UInt64, at now: Moment) {
        guard requests.end(request, at: now) != nil else { return }
        lastSign = now
        limitOldest()
        // If no request is open, the watchdog stops. So an idle extension causes no wake-ups.
        if requests.isEmpty {
            deadlines[.watchdog] = nil
            deadlines[.measurement] = nil
        }
    }

    /// The request limit applies to each request separately. A request's time begins at the moment when the last older
    /// request was answered. So an extension that works through a queue gets the full limit for each request. Answers to
    /// newer requests do not extend the time of the oldest request.
    private mutating func limitOldest() {
        guard let limit = times.request else { return }
        deadlines[.request] = requests.turn.map { $0 + limit }
    }

    /// The extension's message budget limits how often it reports an activity. So the count of activities cannot grow
    /// without bounds.
    private mutating func countActivities(_ input: Input) {
        if input == .activityBegan { activities += 1 } else { activities = max(0, activities - 1) }
    }

    private mutating func check(memory bytes: UInt64) -> [Effect] {
        guard let memory = times.memory else { return [] }
        if bytes < LifecycleTimes.calm(memory) { isShortOfMemory = false }
        guard bytes >= LifecycleTimes.alarm(memory), !isShortOfMemory else { return [] }
        isShortOfMemory = true
        return [.warnOfMemory]
    }

    private mutating func dismiss(_ cause: EndCause, at now: Moment) -> [Effect] {
        state = .tidying(cause)
        deadlines.clear()
        deadlines[.warning] = now + times.warning
        deadlines[.grace] = now + times.grace
        return [.sayGoodbye]
    }

    /// A program that was asked to end lives on within its other limits. Unless it outlives its grace, its end is its
    /// own.
    private mutating func awaitStop(at now: Moment) -> [Effect] {
        deadlines[.grace] = deadlines[.grace] ?? now + times.grace
        return []
    }

    // MARK: After its work

    private mutating func tidying(_ input: Input, cause: EndCause, at now: Moment) -> [Effect] {
        switch input {
        case .activityBegan, .activityEnded: countActivities(input)
        // If the extension itself caused the end, that cause replaces the cause of the dismissal. Otherwise, the cause
        // of the dismissal stays.
        case .mustEnd(let worse): return end(worse.isTheExtensions ? worse : cause, at: now)
        case .gone: return finish(cause)
        // The extension may close its channel while it tidies up. Its grace ends early only if its process ends.
        default: break
        }
        return []
    }

    // MARK: Ends

    private mutating func passed(_ limit: Limit, at now: Moment) -> [Effect] {
        switch (limit, state) {
        case (.slot, .waiting): return finish(.noSlot)
        // If there is no process yet, there is nothing to wait for. If the warden starts a process later, the broker
        // kills it.
        case (.queue, .launching):
            return progress.contains(.started) ? end(.unanswered, at: now) : finish(.unanswered, first: [.kill])
        case (.launch, .launching): return [.measureStarvation] + end(.launchLimit, at: now)
        case (.request, .serving): return end(.timeLimit, at: now)
        case (.watchdog, .serving): return watch(at: now)
        case (.measurement, .serving):
            deadlines[.measurement] = now + LifecycleTimes.measurement
            return [.measureMemory]
        case (.silence, .launching), (.silence, .serving): return end(.silence, at: now)
        case (.warning, .tidying): return [.warnOfEnd]
        case (.grace, .launching), (.grace, .serving): return end(.stopIgnored, at: now)
        case (.grace, .tidying(let cause)):
            return end(cause == .completed && activities > 0 ? .graceExpired : cause, at: now)
        case (.death, .ending(let cause)): return outlived(cause, at: now)
        default: return []
        }
    }

    private mutating func watch(at now: Moment) -> [Effect] {
        // If this check is late, the broker itself was held up and may have unread signs of life. If the host has not
        // passed the last ping on, a debugger or a signal holds the host up. In both cases, the silence is not the
        // extension's fault.
        guard let watchdog = times.watchdog, let ping = times.ping else { return [] }
        if now > nextWatch + ping || !isPinged { lastSign = now }
        let end = lastSign + watchdog
        guard now < end else { return self.end(.unresponsive, at: now) }
        watchNext(at: min(now + ping, end))
        isPinged = false
        return [.ping]
    }

    private mutating func watchNext(at moment: Moment) {
        nextWatch = moment
        deadlines[.watchdog] = moment
    }

    /// If a process ends, its channel closes a moment before the kernel reports the cause of its death. A process that
    /// lives on without a channel is of no use. Without the limit `silence`, callers would wait for the process's end
    /// for ever.
    private mutating func fallSilent(at now: Moment) -> [Effect] {
        if !isSilent { deadlines[.silence] = now + times.silence }
        isSilent = true
        return []
    }

    private mutating func end(_ cause: EndCause, at now: Moment) -> [Effect] {
        state = .ending(cause)
        deadlines.clear()
        deadlines[.death] = now + times.death
        killed = now
        return [.kill]
    }

    /// The broker does not wait for ever for a process that no signal reaches, or for a warden that does not report the
    /// end. If the broker notices the deadline late, the broker or the whole machine was held up. The process may have
    /// had no chance to die, so the broker waits once more.
    private mutating func outlived(_ cause: EndCause, at now: Moment) -> [Effect] {
        guard let killed = killed.take(), now > killed + times.death + LifecycleTimes.lateness else {
            return finish(.stuck(after: cause))
        }
        deadlines[.death] = now + times.death
        return []
    }

    /// If this process was stopped, the stand-in has killed the program at the time limit, and the timer is late.
    private mutating func recordDeath(at now: Moment) {
        isDead = true
        if hasStandIn, state == .serving, let limit = requestLimit, limit <= now { state = .ending(.timeLimit) }
        deadlines.clear()
    }

    private mutating func finish(_ cause: EndCause?, first: [Effect] = []) -> [Effect] {
        state = .ended
        deadlines.clear()
        return first + (times.slot == nil ? [] : [.giveBackSlot]) + [.finish(cause)]
    }
}
