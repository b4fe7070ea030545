package import AnnexBrokerAPI
package import AnnexHost
internal import AnnexLinux
package import AnnexModel

/// A Today view shows the widgets that the user has switched on, in the user's order. Each widget shows its last
/// content until fresh content arrives.
///
/// A Today view is a host like any other. It draws nothing itself. The code that displays the view draws `cards` once,
/// and again after each value of `changes`.
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
    /// The work on the folder's files.
    private let filing = Lane.Row(of: .slow)

    private var widgets: [String: Widget] = [:]
    private var order = WidgetOrder()
    private var expanded: Set<String> = []
    /// Lists of widgets are numbered. `last` is the newest list that the view asked for, and `applied` the newest list
    /// in use.
    private var reloads = (last: 0, applied: 0)
    /// The installed widgets that are switched off. The user can add them.
    package private(set) var offers: [InstalledExtension] = []
    private var surface: TodaySurface?
    private var alarm: (moment: Duration, task: Task<Void, Never>)?
    private var followers: [Task<Void, Never>] = []
    private var contentWatch: FileWatch?

    /// A stream with a value for each change of the cards. Unread values are merged into one value. Only one reader
    /// may read this stream.
    package nonisolated let changes: AsyncStream<Void>
    private let change: AsyncStream<Void>.Continuation

    /// The extension point of the widgets.
    package static let point = WidgetPoint.identifier

    /// - Parameters:
    ///   - host: the host through which the view launches the widgets.
    ///   - folder: the folder that keeps the snapshots and the order; nil for a view that keeps nothing.
    ///   - isWanted: whether the view shows a widget that is switched on.
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
        for follower in followers { follower.cancel() }
    }

    // MARK: The surface

    /// What to draw now, from top to bottom.
    package var cards: [TodayCard] { order.identifiers.compactMap { widgets[$0]?.card }.filter(\.isShown) }

    /// Whether an update of any widget is running.
    package var isUpdating: Bool { widgets.values.contains { $0.schedule.isUpdating } }

    /// Shows the view. If the view is shown already, the new surface replaces the former surface.
    /// - Throws: if the broker does not answer.
    package func show(on surface: TodaySurface) async throws(BrokerError) {
        let before = self.surface
        self.surface = surface
        if let before {
            guard before != surface else { return }
            for widget in widgets.values { widget.jobs.add(.move) }
            // Another kind of surface shows other widgets.
            if before.kind != surface.kind { try await reload() }
            return
        }
        // The view follows changes before it asks for the list. So the view misses no change that happens after the
        // broker made the list.
        follow()
        do throws(BrokerError) {
            try await reload()
        } catch {
            hide()
            throw error
        }
    }

    /// Hides the view and ends its widgets. Their snapshots stay.
    package func hide() {
        surface = nil
        for follower in followers { follower.cancel() }
        (followers, contentWatch) = ([], nil)
        handle(.disappeared, of: order.identifiers)
    }

    /// Hides the view and waits until its widgets have ended.
    /// - Parameter limit: the longest time to wait. A widget that takes longer ends with this process.
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

    /// Passes on what the user did in a widget. On a lock screen, the action does not allow the widget to open an
    /// app.
    package func perform(_ action: ContentAction, in identifier: String) {
        let isLocked = surface?.kind.isLocked ?? true
        widgets[identifier]?.jobs.add(.perform(action, at: isLocked ? nil : clock.now))
    }

    /// Shows all of a widget, or only its compact part. If the view does not show the widget yet, the setting takes
    /// effect when the widget appears.
    package func setExpanded(_ isExpanded: Bool, for identifier: String) {
        expanded = isExpanded ? expanded.union([identifier]) : expanded.subtracting([identifier])
        guard widgets[identifier].map({ $0.card.isExpanded != isExpanded }) ?? false else { return }
        widgets[identifier]?.card.isExpanded = isExpanded
        widgets[identifier]?.jobs.add(.move)
        change.yield()
    }

    /// Lets a widget look for fresh content now. A second call within two seconds has no effect.
    package func update(_ identifier: String) { handle(.asked, of: [identifier]) }

    /// Moves a widget to another place among the cards, and keeps the order.
    /// - Parameter place: counted from 0. A place beyond the last place counts as the last place.
    package func move(_ identifier: String, to place: Int) async {
        let isLocked = surface?.kind.isLocked ?? true
        guard !isLocked, order.move(identifier, to: place, among: cards.map(\.id)) else { return }
        change.yield()
        // If the order cannot be kept, the next view has the former order.
        try? await filing.value { [folder, order] in try? folder?.keep(order: order.identifiers) }
    }

    /// Switches a widget on or off, for all views of the same broker.
    /// - Throws: `disabled` on a lock screen; `unknownExtension` if the view does not show or offer such a widget; or
    ///   another error of the broker.
    package func setAdded(_ isAdded: Bool, for identifier: String) async throws(BrokerError) {
        if surface?.kind.isLocked ?? false {
            throw BrokerError(
                .disabled, what: "cannot be added or removed on a lock screen", place: Self.shown(identifier),
                remedy: "log in, and use the Today view")
        }
        // The view must not switch extensions that it neither shows nor offers.
        guard widgets[identifier] != nil || offers.contains(where: { $0.id == identifier }) else {
            throw BrokerError(
                .unknownExtension, what: "is no widget of this view", place: Self.shown(identifier),
                remedy: "annex list --all --point \(Self.point)")
        }
        try await host.setEnabled(isAdded, for: identifier)
        try await reload()
    }

    /// An identifier in the form for a message. It is escaped, because the caller may have made it up.
    private static func shown(_ identifier: String) -> String { "\(Escaped(identifier, limit: 200))" }

    // MARK: The widgets

    /// Follows which extensions are installed and switched on. Also follows whether apps say that their widgets have
    /// content.
    private func follow() {
        let (marks, mark) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        // A mark is how an app says whether its widget has content. If the marks cannot be watched, the view reads
        // them only when the list of extensions changes.
        contentWatch = folder.flatMap { folder in try? folder.shared.watch { mark.yield() } }
        followers = [
            Task { [weak self, changes = host.changes] in for await _ in changes { try? await self?.reload() } },
            Task { [weak self] in for await _ in marks { try? await self?.reload() } },
        ]
    }

    private func reload() async throws(BrokerError) {
        reloads.last += 1
        let (number, moves) = (reloads.last, order.moves)
        let installed = try await host.installed()
        let usable = installed.filter { $0.extensionPoint == Self.point && $0.rejection == nil }
        let added = usable.filter { $0.isEnabled && isWanted($0) }
        let (kept, marked) = try await read(added)
        // While this list was fetched, a newer list may have come into use.
        guard let kind = surface?.kind, number > reloads.applied else { return }
        reloads.applied = number
        offers = kind.isLocked ? [] : usable.filter { !$0.isEnabled }
        let shown = marked.filter { kind.shows($0.0) }
        let wanted = shown.map(\.0)
        for (identifier, widget) in widgets where !wanted.contains(where: { $0 == widget.card.widget }) {
            widget.jobs.finish()
            widgets[identifier] = nil
        }
        order.take(wanted.map(\.id), by: kept, asOf: moves)
        for (widget, snapshot) in shown where widgets[widget.id] == nil {
            add(widget, showing: snapshot)
        }
        change.yield()
        handle(.appeared, of: order.identifiers)
    }

    /// What the folder keeps of the widgets: their order, and the widgets with content with their snapshots.
    private func read(
        _ added: [InstalledExtension]
    ) async throws(BrokerError) -> (order: [String], marked: [(InstalledExtension, WidgetSnapshot?)]) {
        do throws(SystemError) {
            return try await filing.value { [folder] in
                let withContent = added.filter { folder?.shared.hasContent($0.id) ?? true }
                let snapshots = withContent.map { folder?.snapshot(of: $0.id, instance: $0.instance) }
                return (folder?.order ?? [], Array(zip(withContent, snapshots)))
            }
        } catch {
            throw BrokerError(.system, what: "\(error.cause)", place: "the thread annex-slow", remedy: error.remedy)
        }
    }

    private func add(_ widget: InstalledExtension, showing snapshot: WidgetSnapshot?) {
        var card = TodayCard(widget: widget, isExpanded: expanded.contains(widget.id))
        if let snapshot {
            card.state = snapshot.state
            card.freshness = .old(since: snapshot.date)
        }
        let jobs = WidgetJobs()
        let runner = WidgetRunner(of: widget.id, on: host, rules: rules, clock: clock) { [weak self, id = widget.id] in
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
        // The widget may have been removed and added again while its old runner was still ending the old process. A
        // report of the old runner is ignored.
        guard let widget = widgets[identifier], widget.jobs === jobs else { return }
        var card = widget.card
        switch report {
        case .state(let state):
            card.take(state)
        case .updated(_, let result, let failure):
            card.result = result
            card.failure = nil
            if result == .failed { card.fail(failure ?? "the widget could not update its content") }
        case .failed(let failure): card.fail(failure)
        case .ended(let end): if end.isFailure, card.failure == nil { card.fail("\(end)") }
        }
        widgets[identifier]?.card = card
        change.yield()
        switch report {
        case .updated(let number, let result, _):
            handle(.updated(number, result), of: [identifier])
            if result != .failed { await keep(card) }
        case .ended(let end): if end.isFailure { handle(.crashed, of: [identifier]) }
        case .state, .failed: break
        }
    }

    private func keep(_ card: TodayCard) async {
        // If the card is not fresh, its content is old. A snapshot would give this old content the present date.
        guard let folder, card.freshness == .fresh else { return }
        let snapshot = WidgetSnapshot(of: card.widget.instance, at: WallClock.now(), state: card.state)
        // If the disk is full, only the snapshot for the next view is lost.
        try? await filing.value { try? folder.keep(snapshot, of: card.id) }
    }

    // MARK: Time

    private func handle(_ event: WidgetSchedule.Event, of identifiers: [String]) {
        for identifier in identifiers {
            switch widgets[identifier]?.schedule.handle(event, at: clock.now) {
            case .update(let number): widgets[identifier]?.jobs.add(.update(number))
            case .stop: widgets[identifier]?.jobs.add(.stop)
            case nil: break
            }
            mark(identifier)
        }
        wakeInTime()
    }

    private func mark(_ identifier: String) {
        guard let widget = widgets[identifier], widget.card.isUpdating != widget.schedule.isUpdating else { return }
        widgets[identifier]?.card.isUpdating = widget.schedule.isUpdating
        change.yield()
    }

    /// Sets one alarm for all widgets. If no widget waits for a point in time, no alarm wakes this process.
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
        // This alarm may have rung just before a newer alarm replaced it. Then only the newer alarm counts.
        guard !Task.isCancelled else { return }
        alarm = nil
        handle(.timePassed, of: order.identifiers)
    }
}
