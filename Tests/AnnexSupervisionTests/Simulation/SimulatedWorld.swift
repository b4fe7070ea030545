import AnnexTestSupport

@testable import AnnexSupervision

/// Everything around one life: slots, warden, process, host and clock. All of it is simulated and drawn from a seed.
struct SimulatedWorld<Machine: LifeMachine> {
    enum Event {
        case input(Lifecycle.Input)
        case timer(Int)
        case processDies
        case deathIsReported
        case standInKills
        case hostAsks(Int)
        case extensionAnswers(UInt64, left: Int)
        case extensionSeesPing
        case extensionSeesGoodbye
        case hostIsDone
        case hostStops
    }

    private var life: Machine
    private var random: SeededRandom
    let conduct: Conduct
    let times: LifecycleTimes
    private var queue = EventQueue<Event>()
    private(set) var now = Moment(nanoseconds: 1_000_000)
    private(set) var record: LifeRecord
    private var timer = 0
    private var timerIsSet = false
    private var isAlive = false
    private var deathIsReported = false
    private var isSignalled = false
    private var asked: UInt64 = 0
    /// The open requests. `oldest` is the oldest of them, with the moment at which it became the oldest.
    private var open: Set<UInt64> = []
    private var oldest: (request: UInt64, since: Moment)?
    private var askers = 0

    init(_ life: Machine, times: LifecycleTimes, seed: UInt64, isTraced: Bool) {
        record = LifeRecord(isTraced: isTraced)
        self.life = life
        self.times = times
        random = SeededRandom(seed: seed)
        conduct = Conduct(using: &random)
    }

    /// Runs the life until no event can follow any more.
    mutating func run() {
        feed(.asked)
        schedule(conduct.faults)
        var steps = 0
        while let (moment, event) = queue.next() {
            steps += 1
            guard record.failures.isEmpty else { return }
            guard steps < 5000 else { return record.fail("it does not come to rest") }
            now = max(now, moment)
            happen(event)
            checkIdle()
            checkLimit()
        }
        record.judge(conduct: conduct, times: times, isAlive: isAlive, timerIsSet: timerIsSet)
    }

    private mutating func schedule(_ faults: Conduct.Faults) {
        func sometime(_ random: inout SeededRandom) -> Duration {
            .milliseconds(Int.random(in: 0..<4000, using: &random))
        }
        if faults.contains(.breaksARule) { later(sometime(&random), .input(.mustEnd(.protocolViolation("length")))) }
        if faults.contains(.brokerStops) { later(sometime(&random), .input(.mustEnd(.brokerShutdown))) }
        if faults.contains(.isRemoved) { later(sometime(&random), .input(.mustEnd(.removed))) }
        if faults.contains(.hostGoes) { later(sometime(&random), .input(.mustEnd(.hostGone))) }
        if faults.contains(.isOver) { later(sometime(&random), .hostStops) }
        if faults.contains(.endsItself) { later(sometime(&random), .processDies) }
        if conduct.hasStrayTimers {
            for _ in 0..<5 { later(sometime(&random), .input(.clock)) }
        }
    }

    private mutating func later(_ duration: Duration, _ event: Event) {
        queue.add(event, at: now + duration)
    }

    private mutating func soon() -> Duration { .microseconds(Int.random(in: 0..<3000, using: &random)) }

    // MARK: Events

    private mutating func happen(_ event: Event) {
        switch event {
        case .input(let input): feed(input)
        case .timer(let number):
            guard number == timer, timerIsSet else { return }
            timerIsSet = false
            feed(.clock)
        case .processDies: die()
        case .standInKills: if !conduct.faults.contains(.cannotBeKilled) { die() }
        case .deathIsReported: recordDeath()
        case .hostAsks(let left): ask(left)
        case .extensionAnswers(let request, let left): answer(request, left)
        case .extensionSeesPing: if isAlive { feed(.gaveSign) }
        case .extensionSeesGoodbye: leave()
        case .hostStops:
            feed(.dismissed(.cancelled))
            // A program gets a signal in place of a goodbye.
            isSignalled = times.kind == .program
            if isSignalled { leave() }
        case .hostIsDone: feed(.dismissed(conduct.hostCancels ? .cancelled : .completed))
        }
    }

    private mutating func feed(_ input: Lifecycle.Input) {
        record.note(input, at: now)
        for effect in life.handle(input, at: now) { perform(effect) }
    }

    private mutating func ask(_ left: Int) {
        guard left > 0 else {
            askers -= 1
            if askers == 0 { later(soon(), .hostIsDone) }
            return
        }
        asked += 1
        open.insert(asked)
        noteOldest()
        feed(.requestBegan(asked))
        guard !conduct.faults.contains(.neverAnswers), !conduct.faults.contains(.hangs) else { return }
        if conduct.faults.contains(.starvesOne), asked == 1 { return }
        later(.milliseconds(Int.random(in: 0..<1500, using: &random)), .extensionAnswers(asked, left: left))
    }

    private mutating func answer(_ request: UInt64, _ left: Int) {
        guard isAlive else { return }
        open.remove(request)
        noteOldest()
        feed(.requestEnded(request))
        if conduct.faults.contains(.keepsBusy) { feed(.activityBegan) }
        later(soon(), .hostAsks(left - 1))
    }

    private mutating func noteOldest() {
        guard oldest?.request != open.min() else { return }
        oldest = open.min().map { ($0, now) }
    }

    private mutating func leave() {
        guard isAlive, !conduct.faults.contains(.ignoresGoodbye), !conduct.faults.contains(.keepsBusy) else { return }
        later(soon(), .processDies)
    }

    private mutating func die() {
        guard isAlive else { return }
        isAlive = false
        if Bool.random(using: &random) { queue.add(.input(.channelClosed), at: now) }
        later(soon(), .deathIsReported)
    }

    private mutating func recordDeath() {
        deathIsReported = true
        feed(.died)
        later(soon(), .input(.gone))
    }

    // MARK: Effects

    private mutating func perform(_ effect: Lifecycle.Effect) {
        record.note(effect, at: now)
        switch effect {
        case .askForSlot: if !conduct.faults.contains(.noSlot) { later(soon(), .input(.slotGranted)) }
        case .launch: launch()
        case .wake(let moment): wake(at: moment)
        case .announce: begin()
        case .ping:
            guard !conduct.faults.contains(.hostStandsStill) else { return }
            later(soon(), .input(.pingPassedOn))
            if isAlive, !conduct.faults.contains(.hangs) { later(soon(), .extensionSeesPing) }
        case .measureMemory:
            let memory = times.memory ?? 1
            later(soon(), .input(.memoryUsed(UInt64.random(in: 0..<memory, using: &random))))
        case .sayGoodbye: later(soon(), .extensionSeesGoodbye)
        case .kill: if !conduct.faults.contains(.cannotBeKilled), isAlive { later(soon(), .processDies) }
        case .measureStarvation, .warnOfMemory, .warnOfEnd, .giveBackSlot, .finish: break
        }
    }

    private mutating func launch() {
        if conduct.faults.contains(.launchFails) { return later(soon(), .input(.gone)) }
        if conduct.faults.contains(.wardenIsSilent) { return }
        isAlive = true
        if isSignalled { leave() }
        let start = soon()
        later(start, .input(.started))
        if conduct.faults.contains(.noHello) { return }
        later(start + soon(), .input(.executed))
        later(start + soon(), .input(.saidHello))
    }

    private mutating func begin() {
        if times.kind == .program { return runProgram() }
        // If an extension sends nothing any more, its host waits for its end.
        if conduct.faults.contains(.closesChannel) { return later(soon(), .input(.channelClosed)) }
        askers = conduct.askers
        for _ in 0..<askers { later(soon(), .hostAsks(conduct.requests)) }
    }

    /// The whole run of a program is one request.
    private mutating func runProgram() {
        open = [0]
        noteOldest()
        if conduct.hasStandIn {
            feed(.standInTook)
            if let request = times.request { later(request, .standInKills) }
        }
        guard !conduct.faults.contains(.neverAnswers) else { return }
        later(.milliseconds(Int.random(in: 0..<2500, using: &random)), .processDies)
    }

    private mutating func wake(at moment: Moment?) {
        timer += 1
        timerIsSet = moment != nil
        guard let moment else { return }
        let late = Int.random(in: 0...max(1, Int(conduct.lateness / .milliseconds(1))), using: &random)
        queue.add(.timer(timer), at: max(moment, now) + .milliseconds(conduct.lateness == .zero ? 0 : late))
    }

    /// An idle extension must set no timer. A life that is at work or ending must always have a time limit. The
    /// examination of a dead process has its own.
    private mutating func checkIdle() {
        guard !life.isEnded else { return }
        guard !deathIsReported else {
            if timerIsSet { record.fail("a timer is set for a dead process") }
            return
        }
        let isIdle = record.isServing && open.isEmpty
        if isIdle && timerIsSet { record.fail("a timer is set for an idle extension") }
        if !isIdle && !timerIsSet { record.fail("nothing bounds its time") }
    }

    /// The oldest request must never wait longer for its answer than the time limit plus the delay of a late timer.
    private mutating func checkLimit() {
        guard record.isServing, let oldest else { return }
        if let request = times.request, now.since(oldest.since) > request + conduct.lateness + .milliseconds(10) {
            record.fail("a request waits beyond its limit")
        }
    }
}
