import AnnexModel
import AnnexTestSupport
import Testing

@testable import AnnexToday

/// The schedule of a widget's updates. It is a pure state machine, and the tests control its clock.
@Suite(.timeLimit(.minutes(20))) struct WidgetScheduleTests {
    private let rules = TodayRules()

    private func visible() -> WidgetSchedule {
        var schedule = WidgetSchedule(rules)
        #expect(schedule.handle(.appeared, at: .zero) == .update(1))
        return schedule
    }

    @Test func `a widget is updated when it appears, and then at each interval`() {
        var schedule = visible()
        #expect(schedule.isUpdating && schedule.wake == nil)
        for hour in 1...24 {
            let now = rules.interval * (hour - 1)
            #expect(schedule.handle(.updated(hour, hour % 2 == 0 ? .newData : .noData), at: now) == nil)
            #expect(schedule.wake == rules.interval * hour)
            #expect(schedule.handle(.timePassed, at: rules.interval * hour - .seconds(1)) == nil)
            #expect(schedule.handle(.timePassed, at: rules.interval * hour) == .update(hour + 1))
        }
    }

    @Test func `each further failure lets a widget wait longer, up to the longest pause`() {
        var schedule = visible()
        var now = Duration.zero
        var pauses: [Duration] = []
        for number in 1...12 {
            #expect(schedule.handle(.updated(number, .failed), at: now) == nil)
            guard let wake = schedule.wake else { break }
            pauses.append(wake - now)
            now = wake
            _ = schedule.handle(.timePassed, at: now)
        }
        let doubled = (0..<12).map { min(rules.firstPause * (1 << $0), rules.longestPause) }
        #expect(pauses == doubled)
        #expect(schedule.handle(.updated(13, .newData), at: now) == nil && schedule.wake == now + rules.interval)
        #expect(schedule.handle(.timePassed, at: now + rules.interval) == .update(14))
        _ = schedule.handle(.updated(14, .failed), at: now + rules.interval)
        #expect(schedule.wake == now + rules.interval + rules.firstPause, "a success ends the series")
    }

    @Test func `a crash between two updates counts as a failure, and one during an update counts once`() {
        var schedule = visible()
        _ = schedule.handle(.updated(1, .newData), at: .seconds(1))
        #expect(schedule.handle(.crashed, at: .seconds(2)) == nil)
        #expect(schedule.wake == .seconds(2) + rules.firstPause)
        schedule = visible()
        #expect(schedule.handle(.crashed, at: .seconds(1)) == nil && schedule.isUpdating)
        #expect(schedule.handle(.updated(1, .failed), at: .seconds(1)) == nil)
        #expect(schedule.wake == .seconds(1) + rules.firstPause)
    }

    @Test func `an answer that comes after the view is hidden changes nothing`() {
        var schedule = visible()
        #expect(schedule.handle(.disappeared, at: .seconds(3)) == .stop && schedule.wake == nil)
        for event in [WidgetSchedule.Event.updated(1, .newData), .crashed, .asked, .timePassed, .disappeared] {
            #expect(schedule.handle(event, at: .seconds(100)) == nil && schedule.wake == nil)
        }
    }

    @Test func `an answer to an earlier update does not count for the present one`() {
        var schedule = visible()
        _ = schedule.handle(.disappeared, at: .seconds(1))
        #expect(schedule.handle(.appeared, at: .seconds(2)) == .update(2))
        #expect(schedule.handle(.updated(1, .failed), at: .seconds(3)) == nil && schedule.isUpdating)
        #expect(schedule.handle(.updated(2, .newData), at: .seconds(4)) == nil)
        #expect(schedule.wake == .seconds(4) + rules.interval)
    }

    @Test func `the user can ask for an update, and not more often than every two seconds`() {
        var schedule = visible()
        #expect(schedule.handle(.asked, at: .zero) == nil, "an update runs already")
        _ = schedule.handle(.updated(1, .noData), at: .zero)
        #expect(schedule.handle(.asked, at: .seconds(1)) == nil)
        #expect(schedule.handle(.asked, at: .seconds(2)) == .update(2))
    }

    @Test func `a view that is opened and closed all the time uses up the budget of its widgets`() {
        var schedule = WidgetSchedule(rules)
        var updates = 0
        for second in 0..<3600 {
            if schedule.handle(.appeared, at: .seconds(second)) != nil { updates += 1 }
            _ = schedule.handle(.disappeared, at: .seconds(second))
        }
        let refilled = 3600 / Int(rules.refill.components.seconds)
        #expect((rules.mostUpdates...rules.mostUpdates + refilled).contains(updates), "\(updates)")
    }

    @Test(arguments: 0..<200)
    func `any order of events keeps the rules`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var schedule = WidgetSchedule(rules)
        var reference = Reference(rules)
        var now = Duration.zero
        for _ in 0..<500 {
            // Half of the steps go directly to the next moment at which an event is due.
            if Bool.random(using: &random), let wake = schedule.wake, wake > now {
                now = wake
            } else {
                now += .milliseconds(Int.random(in: 0...600_000, using: &random))
            }
            // Most events belong to the current update, and some belong to an earlier update.
            let number = reference.count - (Int.random(in: 0..<4, using: &random) == 0 ? 1 : 0)
            let events: [WidgetSchedule.Event] = [
                .appeared, .disappeared, .updated(number, .newData), .updated(number, .failed), .crashed, .asked,
                .timePassed, .timePassed,
            ]
            let event = events[Int.random(in: 0..<events.count, using: &random)]
            let step = schedule.handle(event, at: now)
            try reference.check(event, step, schedule, at: now)
        }
    }
}

/// A second implementation of the rules. It only checks the machine's actions, and does not decide them.
private struct Reference {
    private let rules: TodayRules
    private var isVisible = false
    private var isUpdating = false
    /// The number of updates that have begun.
    private(set) var count = 0
    /// The moments of the updates that the user did not request.
    private var updates: [Duration] = []
    private var lastFailure: (moment: Duration, row: Int)?

    init(_ rules: TodayRules) { self.rules = rules }

    mutating func check(
        _ event: WidgetSchedule.Event, _ step: WidgetSchedule.Step?, _ schedule: WidgetSchedule, at now: Duration
    ) throws {
        let wasUpdating = isUpdating
        take(event, at: now)
        switch step {
        case .update(let number):
            count += 1
            try #require(number == count, "a number tells two updates apart")
            try #require(isVisible && !wasUpdating, "two updates at once, or one of a hidden widget")
            if event == .timePassed, let lastFailure {
                try #require(now >= lastFailure.moment + min(rules.firstPause, rules.longestPause))
            }
            isUpdating = true
            if event != .asked { updates.append(now) }
        case .stop: try #require(event == .disappeared)
        case nil: break
        }
        try #require(schedule.isUpdating == isUpdating)
        try #require((schedule.wake != nil) == (isVisible && !isUpdating), "a visible widget waits for one thing")
        let first = updates.first ?? now
        let allowed = rules.mostUpdates + Int((now - first) / rules.refill)
        try #require(updates.count <= allowed, "more updates than the budget has")
    }

    private mutating func take(_ event: WidgetSchedule.Event, at now: Duration) {
        switch event {
        case .appeared: isVisible = true
        case .disappeared: (isVisible, isUpdating) = (false, false)
        case .updated(let number, let result):
            guard isUpdating, number == count else { return }
            lastFailure = result == .failed ? (now, (lastFailure?.row ?? 0) + 1) : nil
            isUpdating = false
        case .crashed: if isVisible, !isUpdating { lastFailure = (now, (lastFailure?.row ?? 0) + 1) }
        case .asked, .timePassed: break
        }
    }
}
