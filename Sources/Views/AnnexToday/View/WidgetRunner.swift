internal import AnnexHost
internal import AnnexModel
internal import Synchronization

/// Runs one widget: launches it, tells it what happens, and ends it.
///
/// A runner does one job after another, and each widget has a runner of its own. So a widget that hangs delays only its
/// own jobs.
struct WidgetRunner: Sendable {
    enum Report: Sendable {
        case state(WidgetState)
        /// The update with this number is over. `failure` is the reason if the update failed.
        case updated(Int, WidgetUpdateResult, failure: String?)
        /// The widget did not do what the user asked for, or did not move to its new place.
        case failed(String)
        /// The widget has ended, and this runner had not asked the widget to end.
        case ended(Termination)
    }

    private let identifier: String
    private let host: AnnexHost
    private let rules: TodayRules
    private let clock: any TodayClock
    private let placement: @Sendable () async -> WidgetPlacement
    private let report: @Sendable (Report) async -> Void

    /// - Parameters:
    ///   - placement: returns the widget's place at the moment of the call.
    ///   - report: is called for each report. The runner waits for the call before it makes the next report.
    init(
        of identifier: String, on host: AnnexHost, rules: TodayRules, clock: any TodayClock,
        placement: @escaping @Sendable () async -> WidgetPlacement,
        reporting report: @escaping @Sendable (Report) async -> Void
    ) {
        self.identifier = identifier
        self.host = host
        self.rules = rules
        self.clock = clock
        self.placement = placement
        self.report = report
    }

    /// Does the jobs until no more jobs can follow. Then ends the widget.
    func run(_ jobs: WidgetJobs) async {
        var running: RunningWidget?
        for await _ in jobs.arrivals {
            while let job = jobs.next() { await perform(job, in: &running) }
        }
        await running?.end()
    }

    private func perform(_ job: WidgetJobs.Job, in running: inout RunningWidget?) async {
        switch job {
        case .stop:
            await running?.end()
            running = nil
        case .move: await move(running)
        case .update(let number): await update(number, in: &running)
        case .perform(let action, let moment): await perform(action, at: moment, in: &running)
        }
    }

    private func update(_ number: Int, in running: inout RunningWidget?) async {
        do throws(HostError) {
            let widget = try await launched(&running)
            let result = try await widget.performUpdate()
            await report(.state(widget.state))
            await report(.updated(number, result, failure: nil))
        } catch {
            // If a crash ended the update, the crash is reported before the failed update. The schedule ignores a
            // crash during an update, so the two reports count as one failure.
            if let running, running.hasEnded { await running.end() }
            await report(.updated(number, .failed, failure: "\(error)"))
        }
    }

    private func perform(_ action: ContentAction, at moment: Duration?, in running: inout RunningWidget?) async {
        do throws(HostError) {
            let widget = try await launched(&running)
            // If a tap had to wait too long for a slow widget, the tap no longer allows the widget to open an app.
            let isLate = moment.map { clock.now - $0 > rules.tapsCountFor } ?? true
            await report(.state(isLate ? try await widget.performLate(action) : try await widget.perform(action)))
        } catch {
            await report(.failed("\(error)"))
        }
    }

    private func move(_ running: RunningWidget?) async {
        guard let running, !running.hasEnded else { return }
        do throws(HostError) {
            await report(.state(try await running.widget.move(to: placement())))
        } catch {
            await report(.failed("\(error)"))
        }
    }

    /// Returns the running widget. If no widget runs, launches the widget.
    private func launched(_ running: inout RunningWidget?) async throws(HostError) -> WidgetSession {
        if let running, !running.hasEnded { return running.widget }
        // The end of the earlier process is reported before the launch of the new one.
        await running?.end()
        let widget = try await host.widget(identifier)
        running = RunningWidget(widget, pause: rules.betweenChanges, reporting: report)
        await report(.state(try await widget.appear(at: placement())))
        return widget
    }
}

/// A widget that was launched, and the task that follows the changes that the widget makes by itself.
private struct RunningWidget {
    let widget: WidgetSession
    private let follower: Task<Void, Never>
    /// Whether the runner wants the widget to end. Such an end is not reported.
    private let wish = EndWish()

    /// - Parameter pause: the time between two reports of states that the widget sends by itself.
    init(
        _ widget: WidgetSession, pause: Duration,
        reporting report: @escaping @Sendable (WidgetRunner.Report) async -> Void
    ) {
        self.widget = widget
        follower = Task { [wish] in
            for await state in widget.changes {
                await report(.state(state))
                // During the pause, only the newest state waits. So even a widget that changes all the time is drawn
                // only once in each pause.
                try? await Task.sleep(for: pause)
            }
            guard let end = await widget.session.untilEnd(), !wish.isMade else { return }
            await report(.ended(end))
        }
    }

    var hasEnded: Bool { widget.session.termination != nil }

    /// Ends the widget if it still runs. Returns when all reports of the widget were handled.
    func end() async {
        if !hasEnded { wish.make() }
        await widget.disappear()
        await follower.value
    }
}

/// Whether the runner wants the widget to end.
private final class EndWish: Sendable {
    private let made = Mutex(false)

    var isMade: Bool { made.withLock { $0 } }
    func make() { made.withLock { $0 = true } }
}
