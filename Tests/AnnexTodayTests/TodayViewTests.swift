import AnnexBroker
import AnnexBrokerAPI
import AnnexHost
import AnnexModel
import AnnexTestSupport
import Foundation
import Synchronization
import Testing

@testable import AnnexToday

/// A Today view with real widgets.
@Suite(.timeLimit(.minutes(20))) struct TodayViewTests {
    private let place: TemporaryFolder
    private let surface = TodaySurface(width: 320, expandedHeight: 400)

    init() throws { place = try TemporaryFolder() }

    private func widget(_ identifier: String = "com.example.shout") throws -> SubstituteApp {
        let app = try SubstituteApp(running: "shows-a-widget")
        try app.setPoint(TodayView.point)
        try app.setIdentifier(identifier)
        return app
    }

    private func host(_ apps: SubstituteApp..., patience: Duration = .patience) throws -> AnnexHost {
        var wishes = BrokerConfiguration()
        wishes.patience = patience
        wishes.holdsBack = false
        wishes.privateDirectories = .folder(place.url.path + "/private")
        let host = AnnexHost(service: try Broker(wishes))
        for app in apps {
            for one in try host.installAndWait(app: app.path) { try host.setEnabledAndWait(true, for: one.id) }
        }
        return host
    }

    private func view(
        of host: AnnexHost, rules: TodayRules = TodayRules(), clock: any TodayClock = MachineClock()
    ) throws -> TodayView {
        TodayView(of: host, keepingIn: try TodayFolder(place.url.path + "/today"), rules: rules, clock: clock)
    }

    /// Waits until the cards are in the wanted state, and returns them.
    private func cards(
        of view: TodayView, when isWanted: ([TodayCard]) -> Bool
    ) async throws -> [TodayCard] {
        while true {
            let cards = await view.cards
            if isWanted(cards) { return cards }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    private func settled(_ view: TodayView) async throws -> [TodayCard] {
        while await view.isUpdating { try await Task.sleep(for: .milliseconds(5)) }
        return await view.cards
    }

    private func texts(_ card: TodayCard) -> [String] {
        guard case .list(let nodes)? = card.state.view?.root else { return [] }
        return nodes.compactMap { if case .text(let text, _) = $0 { text } else { nil } }
    }

    private func perform(_ conduct: String, in view: TodayView, _ identifier: String = "com.example.shout.loud") async {
        await view.perform(ContentAction(identifier: conduct), in: identifier)
    }

    // MARK: Content

    @Test func `a widget is launched and drawn when the view is shown`() async throws {
        let app = try widget()
        let view = try view(of: try host(app))
        try await view.show(on: surface)
        let cards = try await settled(view)
        #expect(cards.map(texts) == [["updates 1", "appeared"]])
        #expect(cards[0].freshness == .fresh && cards[0].result == .newData && cards[0].failure == nil)
        await view.close(within: .patience)
    }

    @Test func `the last content of a widget is shown before the fresh one, and marked as old`() async throws {
        let app = try widget()
        let host = try host(app)
        let first = try view(of: host)
        try await first.show(on: surface)
        _ = try await settled(first)
        await first.close(within: .patience)
        let second = try view(of: host)
        try await second.show(on: surface)
        let cards = await second.cards
        #expect(cards.map(texts) == [["updates 1", "appeared"]], "no widget can have answered yet")
        guard case .old = cards[0].freshness else {
            Issue.record("\(cards[0].freshness)")
            return
        }
        #expect(cards[0].isUpdating)
        #expect(try await settled(second)[0].freshness == .fresh)
        await second.close(within: .patience)
    }

    @Test func `a widget that hangs or crashes keeps its last content, and holds up no other one`() async throws {
        let (bad, good) = (try widget(), try widget("com.example.good"))
        // The limit of its point, which is five seconds, ends the hanging widget.
        let view = try view(of: try host(bad, good, patience: .zero))
        try await view.show(on: surface)
        _ = try await settled(view)
        await perform("hangs", in: view)
        await perform("knows", in: view, "com.example.good.loud")
        try await Task.sleep(for: TodayRules().betweenQuestions)
        await view.update("com.example.shout.loud")
        await view.update("com.example.good.loud")
        var cards = try await cards(of: view) { $0.first { $0.id.contains("good") }?.result == .noData }
        #expect(cards.first { $0.id.contains("shout") }?.isUpdating == true, "the other one still hangs")
        cards = try await self.cards(of: view) { $0.first { $0.id.contains("shout") }?.result == .failed }
        let shown = try #require(cards.first { $0.id.contains("shout") })
        #expect(texts(shown) == ["updates 1", "appeared"])
        guard shown.failure != nil, case .old = shown.freshness else {
            Issue.record("\(shown)")
            return
        }
        await view.close(within: .patience)
    }

    @Test func `a widget without content has no card`() async throws {
        let app = try widget()
        let view = try view(of: try host(app))
        try await view.show(on: surface)
        _ = try await settled(view)
        await perform("empty", in: view)
        #expect(try await cards(of: view) { $0.isEmpty }.isEmpty)
        await view.close(within: .patience)
    }

    @Test func `a widget that changes by itself is drawn anew`() async throws {
        let app = try widget()
        let view = try view(of: try host(app))
        try await view.show(on: surface)
        _ = try await settled(view)
        await perform("reloads", in: view)
        #expect(try await cards(of: view) { texts($0[0]).first == "updates 11" }.count == 1)
        await view.close(within: .patience)
    }

    // MARK: The user

    @Test func `a tap launches a widget that has ended`() async throws {
        let app = try widget()
        let view = try view(of: try host(app))
        try await view.show(on: surface)
        _ = try await settled(view)
        await perform("crashes", in: view)
        try await Task.sleep(for: TodayRules().betweenQuestions)
        await view.update("com.example.shout.loud")
        _ = try await cards(of: view) { $0[0].failure != nil }
        await perform("tall", in: view)
        #expect(try await cards(of: view) { $0[0].state.preferredHeight != nil }.count == 1)
        await view.close(within: .patience)
    }

    @Test func `the user expands a widget, and it learns its size`() async throws {
        let app = try widget()
        let view = try view(of: try host(app))
        try await view.show(on: surface)
        _ = try await settled(view)
        await view.setExpanded(true, for: "com.example.shout.loud")
        _ = try await cards(of: view) { texts($0[0]).last == "appeared, expanded 320x400" }
        try await view.show(on: TodaySurface(width: 200, expandedHeight: 300))
        _ = try await cards(of: view) { texts($0[0]).last == "appeared, expanded 320x400, expanded 200x300" }
        await view.close(within: .patience)
    }

    @Test func `a list of quick actions shows widgets compact only`() {
        let surface = TodaySurface(.quickActions, width: 320, expandedHeight: 400)
        #expect(surface.placement(expanded: true).activeDisplayMode == .compact)
    }

    @Test func `a lock screen shows no widget that has not said so, and adds, moves and removes none`() async throws {
        let apps = (try widget("com.example.a"), try widget("com.example.b"), try widget("com.example.c"))
        for app in [apps.0, apps.1] { try app.showOnLockScreen() }
        let host = try host(apps.0, apps.1, apps.2)
        let view = try view(of: host)
        try await view.show(on: TodaySurface(.lockScreen, width: 320, expandedHeight: 400))
        let cards = try await cards(of: view) { $0.count == 2 }
        #expect(cards.map(\.id) == ["com.example.a.loud", "com.example.b.loud"])
        await #expect(throws: BrokerError.self) { try await view.setAdded(false, for: "com.example.a.loud") }
        await view.move("com.example.b.loud", to: 0)
        #expect(await view.cards.map(\.id) == cards.map(\.id))
        #expect(await view.offers.isEmpty)
        // The same view is shown again after the login.
        try await view.show(on: surface)
        #expect(try await self.cards(of: view) { $0.count == 3 }.count == 3)
        await view.close(within: .patience)
    }

    @Test func `a tap on a lock screen, and one that waited too long, opens no app`() async throws {
        let app = try widget()
        try app.showOnLockScreen()
        let host = try host(app)
        let view = try view(of: host)
        try await view.show(on: TodaySurface(.lockScreen, width: 320, expandedHeight: 400))
        _ = try await settled(view)
        await perform("opens", in: view)
        let refused = "an app opens only after the user has acted in the view"
        #expect(try await cards(of: view) { $0[0].failure != nil }[0].failure?.contains(refused) == true)
        // The same view is shown again after the login. Now the broker would open an app, but no installed app has
        // registered the scheme.
        try await view.show(on: surface)
        await perform("opens", in: view)
        _ = try await cards(of: view) { $0[0].failure?.contains("is registered by no installed app") == true }
        await view.close(within: .patience)
        let late = try await failure(ofTapAt: .zero, processedAt: TodayRules().tapsCountFor + .seconds(1), of: host)
        #expect(late.contains(refused))
        let early = try await failure(ofTapAt: .zero, processedAt: TodayRules().tapsCountFor, of: host)
        #expect(early.contains("is registered by no installed app"))
    }

    /// The failure that is shown for a widget that tries to open an app because of a tap.
    private func failure(ofTapAt tap: Duration, processedAt now: Duration, of host: AnnexHost) async throws -> String {
        let (clock, jobs) = (HandClock(), WidgetJobs())
        clock.set(now)
        let (failures, failure) = AsyncStream.makeStream(of: String.self)
        let runner = WidgetRunner(
            of: SubstituteApp.identifier, on: host, rules: TodayRules(), clock: clock,
            placement: { WidgetPlacement(width: 320, expandedHeight: 400) },
            reporting: { if case .failed(let text) = $0 { failure.yield(text) } })
        let work = Task { await runner.run(jobs) }
        jobs.add(.perform(ContentAction(identifier: "opens"), at: tap))
        let text = await failures.first { _ in true }
        jobs.finish()
        await work.value
        return try #require(text)
    }

    @Test func `an app says that its widget has no content, and the widget ends until the app says otherwise`()
        async throws
    {
        let app = try widget()
        let view = try view(of: try host(app))
        try await view.show(on: surface)
        _ = try await settled(view)
        let place = try SharedTodayFolder(self.place.url.path + "/today")
        try place.setHasContent(false, of: "com.example.shout.loud")
        #expect(try await cards(of: view) { $0.isEmpty }.isEmpty)
        try place.setHasContent(true, of: "com.example.shout.loud")
        #expect(try await cards(of: view) { $0.count == 1 && $0[0].freshness == .fresh }.count == 1)
        await view.close(within: .patience)
    }

    @Test func `the user orders widgets, and the next view has the same order`() async throws {
        let apps = (try widget("com.example.a"), try widget("com.example.b"), try widget("com.example.c"))
        let host = try host(apps.0, apps.1, apps.2)
        let first = try view(of: host)
        try await first.show(on: surface)
        _ = try await settled(first)
        await first.move("com.example.c.loud", to: 0)
        await first.move("com.example.a.loud", to: 9)
        let order = ["com.example.c.loud", "com.example.b.loud", "com.example.a.loud"]
        #expect(await first.cards.map(\.id) == order)
        await first.close(within: .patience)
        let second = try view(of: host)
        try await second.show(on: surface)
        #expect(await second.cards.map(\.id) == order)
        await second.close(within: .patience)
    }

    @Test func `the user removes and adds a widget, and each open view follows`() async throws {
        let apps = (try widget("com.example.a"), try widget("com.example.b"))
        let host = try host(apps.0, apps.1)
        let (one, other) = (try view(of: host), try view(of: host))
        try await one.show(on: surface)
        try await other.show(on: surface)
        try await one.setAdded(false, for: "com.example.a.loud")
        #expect(await one.cards.map(\.id) == ["com.example.b.loud"])
        #expect(await one.offers.map(\.id) == ["com.example.a.loud"])
        #expect(try await cards(of: other) { $0.count == 1 }.map(\.id) == ["com.example.b.loud"])
        try await one.setAdded(true, for: "com.example.a.loud")
        #expect(try await cards(of: other) { $0.count == 2 }.count == 2)
        await one.close(within: .patience)
        await other.close(within: .patience)
    }

    @Test func `a view switches nothing on or off but widgets`() async throws {
        let apps = (try widget(), try SubstituteApp(running: "shows-a-widget"))
        try apps.1.setIdentifier("com.example.other")
        let host = try host(apps.0, apps.1)
        let view = try view(of: host)
        try await view.show(on: surface)
        for identifier in ["com.example.other.loud", "com.example.unknown"] {
            await #expect(throws: BrokerError.self) { try await view.setAdded(false, for: identifier) }
        }
        #expect(try await host.installed().allSatisfy(\.isEnabled))
        await view.close(within: .patience)
    }

    @Test func `a view of some widgets leaves the order of the others as it is`() async throws {
        let folder = try TodayFolder(place.url.path + "/today")
        try folder.keep(order: ["com.example.x", "com.example.a.loud", "com.example.y", "com.example.b.loud"])
        let apps = (try widget("com.example.a"), try widget("com.example.b"))
        let view = try view(of: try host(apps.0, apps.1))
        try await view.show(on: surface)
        await view.move("com.example.b.loud", to: 0)
        #expect(folder.order == ["com.example.x", "com.example.b.loud", "com.example.y", "com.example.a.loud"])
        await view.close(within: .patience)
    }

    // MARK: Time

    @Test func `a crash during an update counts once`() async throws {
        let (app, clock) = (try widget(), HandClock())
        let view = try view(of: try host(app), clock: clock)
        try await view.show(on: surface)
        _ = try await settled(view)
        await perform("crashes", in: view)
        clock.set(.seconds(900))
        _ = try await cards(of: view) { $0[0].failure != nil && !$0[0].isUpdating }
        // All reports of the crashed process were handled before the next process is launched.
        let rules = TodayRules()
        clock.set(.seconds(900) + rules.firstPause)
        _ = try await cards(of: view) { $0[0].failure == nil }
        _ = try await settled(view)
        while clock.alarms.count < 3 { try await Task.sleep(for: .milliseconds(5)) }
        #expect(
            clock.alarms.prefix(3) == [
                .seconds(900), .seconds(900) + rules.firstPause, .seconds(1800) + rules.firstPause,
            ])
        await view.close(within: .patience)
    }

    @Test func `an hour of idle view wakes the process for the schedule alone`() async throws {
        let app = try widget()
        let clock = HandClock()
        let view = try view(of: try host(app), clock: clock)
        try await view.show(on: surface)
        _ = try await settled(view)
        for quarter in 1...4 {
            clock.set(.seconds(900 * quarter))
            _ = try await cards(of: view) { texts($0[0]).first == "updates \(quarter + 1)" }
            _ = try await settled(view)
        }
        // A separate task sets the last alarm.
        while clock.alarms.count < 5 { try await Task.sleep(for: .milliseconds(5)) }
        #expect(clock.alarms == (1...5).map { .seconds(900 * $0) })
        await view.close(within: .patience)
    }
}

/// The clock that real views use.
@Suite(.timeLimit(.minutes(20))) struct MachineClockTests {
    @Test func `a sleep ends at its moment, or when its task is cancelled`() async throws {
        let clock = MachineClock()
        let moment = clock.now + .milliseconds(50)
        try await clock.sleep(until: moment)
        #expect(clock.now >= moment)
        try await clock.sleep(until: .zero)
        let sleeper = Task { try await clock.sleep(until: .seconds(100_000)) }
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
    }
}

/// A clock that a test sets.
private final class HandClock: TodayClock {
    private struct State {
        var now = Duration.zero
        var alarms: [Duration] = []
        var sleepers: [(moment: Duration, wake: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    var now: Duration { state.withLock { $0.now } }
    /// The moments at which a caller asked to be woken.
    var alarms: [Duration] { state.withLock { $0.alarms } }

    func set(_ moment: Duration) {
        let woken = state.withLock { state in
            state.now = moment
            defer { state.sleepers.removeAll { $0.moment <= moment } }
            return state.sleepers.filter { $0.moment <= moment }.map(\.wake)
        }
        for one in woken { one.resume() }
    }

    func sleep(until moment: Duration) async throws {
        await withCheckedContinuation { wake in
            let isPast = state.withLock { state in
                state.alarms.append(moment)
                guard moment > state.now else { return true }
                state.sleepers.append((moment, wake))
                return false
            }
            if isPast { wake.resume() }
        }
    }
}
