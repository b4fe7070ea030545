internal import AnnexHost
internal import AnnexModel

/// Runs one widget: launches it, tells it what happens, and ends it.
///
/// It does one job after another, and each widget has a runner of its own. So a widget that hangs holds up only its own jobs.
struct WidgetRunner: Sendable {
    enum Report: Sendable {
        case state(WidgetState)
        /// An update is over; with the failure, if it has failed.
        case updated(WidgetUpdateResult, failure: String?)
        /// The widget did not do what the user or the surface asked for.
        case failed(String)
        case ended(Termination)
    }

    private let identifier: String
    private let host: AnnexHost
    private let pause: Duration
    private let placement: @Sendable () async -> WidgetPlacement
    private let report: @Sendable (Report) async -> Void

    /// - Parameters:
    ///   - pause: between two views that the widget sends by itself.
    ///   - placement: the widget's place at this moment.
    ///   - report: is called for one report after another, and waited for.
    init(
        of identifier: String, on host: AnnexHost, pause: Duration,
        placement: @escaping @Sendable () async -> WidgetPlacement,
        reporting report: @escaping @Sendable (Report) async -> Void
    ) {
        self.identifier = identifier
        self.host = host
        self.pause = pause
        self.placement = placement
        self.report = report
    }

    /// Does the jobs until there can be no more, and then ends the widget.
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
        case .update: await update(&running)
        case .perform(let action): await perform(action, in: &running)
        }
    }

    private func update(_ running: inout RunningWidget?) async {
        do throws(HostError) {
            let widget = try await launched(&running)
            let result = try await widget.performUpdate()
            await report(.state(widget.state))
            await report(.updated(result, failure: nil))
        } catch {
            await report(.updated(.failed, failure: "\(error)"))
        }
    }

    private func perform(_ action: ContentAction, in running: inout RunningWidget?) async {
        do throws(HostError) {
            await report(.state(try await launched(&running).perform(action)))
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

    /// The running widget; a new one if there is none.
    private func launched(_ running: inout RunningWidget?) async throws(HostError) -> WidgetSession {
        if let running, !running.hasEnded { return running.widget }
        // Its end is reported before the new one's launch.
        await running?.end()
        let widget = try await host.widget(identifier)
        running = RunningWidget(widget, pause: pause, reporting: report)
        await report(.state(try await widget.appear(at: placement())))
        return widget
    }
}

/// A widget that was launched, and the task that follows what it does by itself.
private struct RunningWidget {
    let widget: WidgetSession
    private let follower: Task<Void, Never>

    init(
        _ widget: WidgetSession, pause: Duration,
        reporting report: @escaping @Sendable (WidgetRunner.Report) async -> Void
    ) {
        self.widget = widget
        follower = Task {
            for await state in widget.changes {
                await report(.state(state))
                // The next state waits meanwhile, and a newer one takes its place. So a widget that changes all the time is drawn
                // only so often.
                try? await Task.sleep(for: pause)
            }
            if let end = await widget.session.untilEnd() { await report(.ended(end)) }
        }
    }

    var hasEnded: Bool { widget.session.termination != nil }

    func end() async {
        await widget.disappear()
        await follower.value
    }
}
