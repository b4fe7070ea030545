package import AnnexModel

/// Decides when one widget is updated and stopped. It is a pure machine: it has no clock and does nothing by itself.
///
/// A visible widget is updated when it appears, then at each interval. A failure lets it wait longer each time. Each update takes one
/// token from a budget, so that a widget cannot make the view busy by ending or failing.
package struct WidgetSchedule: Sendable, Hashable {
    /// What has happened to the widget.
    package enum Event: Sendable, Hashable {
        /// The view is shown.
        case appeared
        /// The view is not shown any more.
        case disappeared
        /// The update of this number is over.
        case updated(Int, WidgetUpdateResult)
        /// The widget's process has ended by its own fault. During an update, its failure counts instead.
        case crashed
        /// The user wants fresh content.
        case asked
        /// `wake` has passed.
        case timePassed
    }

    /// What to do next.
    package enum Step: Sendable, Hashable {
        /// Launch the widget if it does not run, and update it. The number tells this update from all earlier ones.
        case update(Int)
        /// End the widget's process.
        case stop
    }

    private enum Phase: Sendable, Hashable {
        case hidden
        case updating
        /// The widget runs or has ended, and waits for its next update.
        case resting(until: Duration)
    }

    private let rules: TodayRules
    private var phase = Phase.hidden
    private var budget: UpdateBudget
    /// How many updates in a row have failed.
    private var failures = 0
    private var lastUpdate: Duration?
    /// How many updates have begun.
    private var updates = 0

    package init(_ rules: TodayRules = TodayRules()) {
        self.rules = rules
        budget = UpdateBudget(rules)
    }

    /// When the machine must hear of the time; nil if it waits for something else.
    package var wake: Duration? {
        guard case .resting(let moment) = phase else { return nil }
        return moment
    }

    package var isUpdating: Bool { phase == .updating }

    /// - Parameter now: the time since any fixed moment. It never goes back.
    /// - Returns: the step to take; nil for none.
    package mutating func handle(_ event: Event, at now: Duration) -> Step? {
        switch (phase, event) {
        case (.hidden, .appeared): return update(at: now)
        case (.updating, .disappeared), (.resting, .disappeared):
            phase = .hidden
            return .stop
        // The answer to an earlier update may come after the view was hidden and shown again.
        case (.updating, .updated(updates, let result)): rest(after: result == .failed, at: now)
        case (.resting, .crashed): rest(after: true, at: now)
        case (.resting(let moment), .timePassed) where now >= moment: return update(at: now)
        case (.resting, .asked) where isPatient(at: now): return begin(at: now)
        default: break
        }
        return nil
    }

    /// Updates the widget if its budget allows that, else waits for the budget.
    private mutating func update(at now: Duration) -> Step? {
        let moment = budget.take(at: now)
        guard moment <= now else {
            phase = .resting(until: moment)
            return nil
        }
        return begin(at: now)
    }

    private mutating func begin(at now: Duration) -> Step {
        phase = .updating
        lastUpdate = now
        updates += 1
        return .update(updates)
    }

    private mutating func rest(after isFailure: Bool, at now: Duration) {
        failures = isFailure ? failures + 1 : 0
        phase = .resting(until: now + (isFailure ? rules.pause(after: failures) : rules.interval))
    }

    /// Users press keys again and again.
    private func isPatient(at now: Duration) -> Bool {
        lastUpdate.map { now >= $0 + rules.betweenQuestions } ?? true
    }
}

/// The times of a Today view.
package struct TodayRules: Sendable, Hashable {
    /// Between two updates of a visible widget.
    package var interval = Duration.seconds(15 * 60)
    /// After the first failed update. Each further failure doubles it.
    package var firstPause = Duration.seconds(15)
    package var longestPause = Duration.seconds(60 * 60)
    /// The updates that a widget may begin in a short time.
    package var mostUpdates = 12
    /// Each of these gives one update back.
    package var refill = Duration.seconds(5 * 60)
    /// Between two updates that the user asks for.
    package var betweenQuestions = Duration.seconds(2)
    /// How long a tap allows a widget to open an app. The broker's own limit begins when the tap is passed on to the widget.
    package var tapsCountFor = Duration.seconds(5)
    /// Between two views of a widget that changes by itself.
    package var betweenChanges = Duration.milliseconds(100)

    package init() {}

    /// - Parameter failures: at least 1.
    func pause(after failures: Int) -> Duration {
        // Twenty doublings of any pause that makes sense exceed the longest one.
        min(firstPause * (1 << min(failures - 1, 20)), longestPause)
    }
}

/// The updates that a widget may begin: a number of tokens, which time gives back.
private struct UpdateBudget: Sendable, Hashable {
    private let most: Int
    private let refill: Duration
    private var tokens: Int
    /// The time up to which tokens were given back.
    private var counted: Duration?

    init(_ rules: TodayRules) {
        most = max(rules.mostUpdates, 1)
        refill = max(rules.refill, .milliseconds(1))
        tokens = most
    }

    /// Takes a token.
    /// - Returns: now; if there is none, the moment of the next one, and none is taken.
    mutating func take(at now: Duration) -> Duration {
        var since = counted ?? now
        while tokens < most, since + refill <= now {
            tokens += 1
            since += refill
        }
        counted = tokens == most ? now : since
        guard tokens > 0 else { return since + refill }
        tokens -= 1
        return now
    }
}
