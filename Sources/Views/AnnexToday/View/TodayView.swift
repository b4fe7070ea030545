package import AnnexBrokerAPI
package import AnnexHost
internal import AnnexLinux
package import AnnexModel

/// A Today view: the widgets that the user has switched on, in the user's order, each with its last view until fresh content is there.
///
/// It is a host as any other. It draws nothing: a surface draws `cards`, and again after each value of `changes`.
package actor TodayView {
    private struct Widget {
        var card: TodayCard
        var schedule: WidgetSchedule
        let jobs: WidgetJobs
        let runner: Task<Void, Never>
    }

    private let host: AnnexHost
    private let folder: TodayFolder?
    private let rules: TodayRules
    private let clock: any TodayClock
    private let isWanted: @Sendable (InstalledExtension) -> Bool
    private let lane = Lane("annex-today")

    private var widgets: [String: Widget] = [:]
    private var order: [String] = []
    private var expanded: Set<String> = []
    /// The numbers of the last list of widgets that was asked for, and of the last one that was taken over.
    private var reloads = (last: 0, applied: 0)
    /// The installed widgets that are switched off: the user could add them.
    package private(set) var offers: [InstalledExtension] = []
    private var surface: TodaySurface?
    private var alarm: (moment: Duration, task: Task<Void, Never>)?
    private var follower: Task<Void, Never>?

    /// A value for each change of the cards. Values that were not read become one. For one reader.
    package nonisolated let changes: AsyncStream<Void>
    private let change: AsyncStream<Void>.Continuation

    /// The extension point of the widgets.
    package static let point = "com.apple.widget-extension"

    /// - Parameters:
    ///   - host: the view launches its widgets.
    ///   - folder: keeps snapshots and the order; nil for a view that keeps nothing.
    ///   - isWanted: chooses among the widgets that are switched on.
    package init(
        of host: AnnexHost, keepingIn folder: TodayFolder?, rules: TodayRules = TodayRules(),
        clock: any TodayClock = MachineClock(),
        wanting isWanted: @escaping @Sendable (InstalledExtension) -> Bool = { _ in true }
    ) {
        self.host = host
        self.folder = folder
        self.rules = rules
        self.clock = clock
        self.isWanted = isWanted
        (changes, change) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    deinit {
        for widget in widgets.values { widget.jobs.finish() }
        alarm?.task.cancel()
        follower?.cancel()
    }

    // MARK: The surface

    /// What to draw now, from top to bottom.
    package var cards: [TodayCard] { order.compactMap { widgets[$0]?.card }.filter(\.isShown) }

    /// Whether a widget looks for something new just now.
    package var isUpdating: Bool { widgets.values.contains { $0.schedule.isUpdating } }

    /// The view is shown, or has another size from now on.
    /// - Throws: if the broker does not answer.
    package func show(on surface: TodaySurface) async throws(BrokerError) {
        let before = self.surface
        self.surface = surface
        guard before == nil else {
            if before != surface { for widget in widgets.values { widget.jobs.add(.move) } }
            return
        }
        // Followed from now on, so that no change falls between the list and the first change.
        follow()
        do throws(BrokerError) {
            try await reload()
        } catch {
            hide()
            throw error
        }
    }

    /// The view is not shown any more. The widgets end, and keep their snapshots.
    package func hide() {
        surface = nil
        follower?.cancel()
        follower = nil
        for identifier in order { handle(.disappeared, of: identifier) }
        wakeInTime()
    }

    /// Hides the view and waits until its widgets have ended.
    /// - Parameter limit: a widget that takes longer ends with this process.
    package func close(within limit: Duration) async {
        hide()
        let runners = widgets.values.map(\.runner)
        for widget in widgets.values { widget.jobs.finish() }
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let waiting = [
            Task {
                for runner in runners { await runner.value }
                end.finish()
            },
            Task {
                try? await Task.sleep(for: limit)
                end.finish()
            },
        ]
        for await _ in ends {}
        for task in waiting { task.cancel() }
        change.finish()
    }

    // MARK: The user

    /// Passes on what the user did in a widget.
    package func perform(_ action: ContentAction, in identifier: String) {
        widgets[identifier]?.jobs.add(.perform(action))
    }

    /// Shows all of a widget, or only its compact part. A widget that is not shown yet is expanded when it is.
    package func setExpanded(_ isExpanded: Bool, for identifier: String) {
        expanded = isExpanded ? expanded.union([identifier]) : expanded.subtracting([identifier])
        guard widgets[identifier].map({ $0.card.isExpanded != isExpanded }) ?? false else { return }
        widgets[identifier]?.card.isExpanded = isExpanded
        widgets[identifier]?.jobs.add(.move)
        change.yield()
    }

    /// Looks for fresh content now. A question soon after another one is left out.
    package func update(_ identifier: String) { handle(.asked, of: identifier) }

    /// Moves a widget to another place among the cards, and keeps the order.
    /// - Parameter place: counted from 0. A place beyond the last one counts as the last one.
    package func move(_ identifier: String, to place: Int) async {
        guard let old = order.firstIndex(of: identifier) else { return }
        order.remove(at: old)
        // Widgets without a card keep their places.
        let shown = cards.map(\.id)
        let next = shown.indices.contains(place) ? order.firstIndex(of: shown[place]) : nil
        order.insert(identifier, at: next ?? order.count)
        change.yield()
        await inBackground { [folder, order] in try? folder?.keep(order: order) }
    }

    /// Switches a widget on or off. The other views of the same broker show the same widgets.
    package func setAdded(_ isAdded: Bool, for identifier: String) async throws(BrokerError) {
        try await asking { [host] () throws(BrokerError) in try host.setEnabled(isAdded, for: identifier) }
        try await reload()
    }

    // MARK: The widgets

    /// Follows what is installed and switched on.
    private func follow() {
        follower = Task { [weak self, changes = host.changes] in
            for await _ in changes { try? await self?.reload() }
        }
    }

    private func reload() async throws(BrokerError) {
        reloads.last += 1
        let number = reloads.last
        let installed = try await asking { [host] () throws(BrokerError) in try host.installed() }
        let usable = installed.filter { $0.extensionPoint == Self.point && $0.rejection == nil }
        let wanted = usable.filter { $0.isEnabled && isWanted($0) }
        let (kept, snapshots) = await inBackground { [folder] in
            (folder?.order ?? [], wanted.map { folder?.snapshot(of: $0.id, instance: $0.instance) })
        }
        // A later list may have been taken over already.
        guard surface != nil, number > reloads.applied else { return }
        reloads.applied = number
        offers = usable.filter { !$0.isEnabled }
        for (identifier, widget) in widgets where !wanted.contains(where: { $0 == widget.card.widget }) {
            widget.jobs.finish()
            widgets[identifier] = nil
        }
        let places = Dictionary(kept.enumerated().map { ($1, $0) }) { first, _ in first }
        order = wanted.map(\.id).enumerated().sorted { one, other in
            (places[one.element] ?? .max, one.offset) < (places[other.element] ?? .max, other.offset)
        }.map(\.element)
        for (widget, snapshot) in zip(wanted, snapshots) where widgets[widget.id] == nil {
            add(widget, showing: snapshot)
        }
        change.yield()
        for identifier in order { handle(.appeared, of: identifier) }
    }

    private func add(_ widget: InstalledExtension, showing snapshot: WidgetSnapshot?) {
        var card = TodayCard(widget: widget, isExpanded: expanded.contains(widget.id))
        if let snapshot {
            card.state = snapshot.state
            card.freshness = .old(since: snapshot.date)
        }
        let jobs = WidgetJobs()
        let runner = WidgetRunner(of: widget.id, on: host, pause: rules.betweenChanges) { [weak self, id = widget.id] in
            await self?.placement(of: id) ?? WidgetPlacement(width: 0, expandedHeight: 0)
        } reporting: { [weak self, id = widget.id] report in
            await self?.take(report, of: id, doing: jobs)
        }
        let task = Task { await runner.run(jobs) }
        widgets[widget.id] = Widget(card: card, schedule: WidgetSchedule(rules), jobs: jobs, runner: task)
    }

    private func placement(of identifier: String) -> WidgetPlacement {
        let isExpanded = widgets[identifier]?.card.isExpanded ?? false
        return (surface ?? TodaySurface(width: 0, expandedHeight: 0)).placement(expanded: isExpanded)
    }

    // MARK: What widgets report

    private func take(_ report: WidgetRunner.Report, of identifier: String, doing jobs: WidgetJobs) async {
        // The widget may have been removed, and added again, while its runner still ended it.
        guard let widget = widgets[identifier], widget.jobs === jobs else { return }
        var card = widget.card
        switch report {
        case .state(let state):
            card.take(state)
        case .updated(let result, let failure):
            card.result = result
            card.failure = nil
            if result == .failed { card.fail(failure ?? "the widget could not update its content") }
        case .failed(let failure): card.fail(failure)
        case .ended(let end): if end.isFailure, card.failure == nil { card.fail("\(end)") }
        }
        widgets[identifier]?.card = card
        change.yield()
        switch report {
        case .updated(let result, _): await settle(result, of: card)
        case .ended(let end): handle(.ended(isFault: end.isFailure), of: identifier)
        case .state, .failed: break
        }
    }

    private func settle(_ result: WidgetUpdateResult, of card: TodayCard) async {
        handle(.updated(result), of: card.id)
        guard result != .failed, let folder else { return }
        let snapshot = WidgetSnapshot(of: card.widget.instance, at: WallClock.now(), state: card.state)
        // A full disk costs the next view its snapshot, and nothing else.
        await inBackground { try? folder.keep(snapshot, of: card.id) }
    }

    // MARK: Time

    private func handle(_ event: WidgetSchedule.Event, of identifier: String) {
        guard let step = widgets[identifier]?.schedule.handle(event, at: clock.now) else { return marked(identifier) }
        switch step {
        case .update: widgets[identifier]?.jobs.add(.update)
        case .stop: widgets[identifier]?.jobs.add(.stop)
        }
        marked(identifier)
    }

    private func marked(_ identifier: String) {
        guard let widget = widgets[identifier] else { return }
        if widget.card.isUpdating != widget.schedule.isUpdating {
            widgets[identifier]?.card.isUpdating = widget.schedule.isUpdating
            change.yield()
        }
        wakeInTime()
    }

    /// Sets one alarm for all widgets. Without a widget that waits for a moment, nothing wakes this process.
    private func wakeInTime() {
        let next = widgets.values.compactMap(\.schedule.wake).min()
        guard next != alarm?.moment else { return }
        alarm?.task.cancel()
        alarm = next.map { moment in
            let task = Task { [weak self, clock] in
                guard (try? await clock.sleep(until: moment)) != nil else { return }
                await self?.timeHasPassed()
            }
            return (moment, task)
        }
    }

    private func timeHasPassed() {
        alarm = nil
        for identifier in order { handle(.timePassed, of: identifier) }
        wakeInTime()
    }

    // MARK: Blocking work

    /// Asks the broker on a thread that may block.
    private func asking<Answer: Sendable>(
        _ work: @escaping @Sendable () throws(BrokerError) -> Answer
    ) async throws(BrokerError) -> Answer {
        try await inBackground { () -> Result<Answer, BrokerError> in
            do throws(BrokerError) {
                return .success(try work())
            } catch {
                return .failure(error)
            }
        }.get()
    }

    private func inBackground<Answer: Sendable>(_ work: @escaping @Sendable () -> Answer) async -> Answer {
        await withCheckedContinuation { continuation in
            lane.run { continuation.resume(returning: work()) }
        }
    }
}
