package import AnnexModel

/// Decides when one widget is updated and stopped. It is a pure state machine: it has no clock. It only answers each
/// event with the next step.
///
/// A visible widget is updated when it appears, and then once in each interval. After a failure, the widget waits for
/// its next update. Each further failure in a row makes this wait longer. Each update takes one token from a budget,
/// unless the user asks for the update. So a widget that ends or fails again and again cannot keep the view busy.
package struct WidgetSchedule: Sendable, Hashable {
    /// What has happened to the widget.
    package enum Event: Sendable, Hashable {
        /// The view is shown.
        case appeared
        /// The view is not shown any more.
        case disappeared
        /// The update with this number is over.
        case updated(Int, WidgetUpdateResult)
        /// The widget's process has ended by its own fault. If the process ends during an update, only the failure of
        /// the update counts.
        case crashed
        /// The user wants fresh content.
        case asked
        /// The time that `wake` states has come.
        case timePassed
    }

    /// What to do next.
    package enum Step: Sendable, Hashable {
        /// Launch the widget if it does not run, and update it. Each update has a number of its own.
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

    /// The time at which the caller must send `timePassed`; nil if the schedule does not wait for a time.
    package var wake: Duration? {
        guard case .resting(let moment) = phase else { return nil }
        return moment
    }

    package var isUpdating: Bool { phase == .updating }

    /// - Parameter now: the time since any fixed moment. It never goes back.
    /// - Returns: the step to take; nil if there is nothing to do.
    package mutating func handle(_ event: Event, at now: Duration) -> Step? {
        switch (phase, event) {
        case (.hidden, .appeared): return update(at: now)
        case (.updating, .disappeared), (.resting, .disappeared):
            phase = .hidden
            return .stop
        // Only the answer with the number of the present update counts. The answer to an earlier update may come
        // after the view was hidden and shown again.
        case (.updating, .updated(updates, let result)): rest(after: result == .failed, at: now)
        case (.resting, .crashed): rest(after: true, at: now)
        case (.resting(let moment), .timePassed) where now >= moment: return update(at: now)
        case (.resting, .asked) where isPatient(at: now): return begin(at: now)
        default: break
        }
        return nil
    }

    /// Updates the widget if its budget has a token. Otherwise the widget waits until the budget gets one.
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

    /// Whether the last update began long enough ago. If a user presses the key for an update again and again, most
    /// of these requests have no effect.
    private func isPatient(at now: Duration) -> Bool {
        lastUpdate.map { now >= $0 + rules.betweenQuestions } ?? true
    }
}

/// The times of a Today view.
package struct TodayRules: Sendable, Hashable {
    /// The time from one update of a visible widget to the next.
    package var interval = Duration.seconds(15 * 60)
    /// The pause after the first failed update. Each further failure in a row doubles the pause.
    package var firstPause = Duration.seconds(15)
    package var longestPause = Duration.seconds(60 * 60)
    /// The size of a widget's budget: how many updates may begin before the widget must wait for another token.
    package var mostUpdates = 12
    /// After each period of this length, the budget allows one more update.
    package var refill = Duration.seconds(5 * 60)
    /// The least time from the last update to an update that the user asks for.
    package var betweenQuestions = Duration.seconds(2)
    /// How long a tap allows a widget to open an app. The broker also limits this time, and its limit begins when the
    /// tap is passed on to the widget.
    package var tapsCountFor = Duration.seconds(5)
    /// The least time between two views of a widget that changes by itself.
    package var betweenChanges = Duration.milliseconds(100)

    package init() {}

    /// - Parameter failures: the number of failed updates in a row, at least 1.
    func pause(after failures: Int) -> Duration {
        // After twenty doublings, any reasonable first pause is longer than `longestPause`.
        min(firstPause * (1 << min(failures - 1, 20)), longestPause)
    }
}

/// The budget of a widget's updates, except the updates that the user asks for. Each update takes a token, and the
/// budget gets one token back in each period of `refill`.
private struct UpdateBudget: Sendable, Hashable {
    private let most: Int
    private let refill: Duration
    private var tokens: Int
    /// The moment up to which tokens have been given back; nil before the first token is taken.
    private var counted: Duration?

    init(_ rules: TodayRules) {
        most = max(rules.mostUpdates, 1)
        refill = max(rules.refill, .milliseconds(1))
        tokens = most
    }

    /// Takes a token.
    /// - Returns: `now` if the budget had a token. Otherwise no token is taken, and the result is the moment at which
    ///   the next token comes.
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
