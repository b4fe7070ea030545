import AnnexHost
import AnnexModel
import AnnexTestSupport
import AnnexToday
import Foundation
import Testing

/// The example widgets in a Today view, with a daemon that other programs use at the same time.
@Suite(.timeLimit(.minutes(20))) struct TodayExamplesTests {
    private static let entitlement = "com.apple.security.application-groups"

    private let folder: TemporaryFolder
    private let daemon: TestDaemon

    init() async throws {
        folder = try TemporaryFolder()
        daemon = try await TestDaemon()
    }

    /// A view of an app's widgets. The widgets are switched on and have the entitlements that they ask for.
    private func view(of app: String) async throws -> TodayView {
        let host = try await AnnexHost.connect(to: daemon.socket)
        for one in try await host.install(app: ExampleBundles.path(of: app), granting: [Self.entitlement]) {
            try await host.setEnabled(true, for: one.id)
        }
        return TodayView(of: host, keepingIn: try TodayFolder(folder.url.path + "/today"))
    }

    private func run(_ app: String, _ words: String...) async throws -> String {
        let path = try ExampleBundles.path(of: "\(app).app") + "/" + app
        let place = daemon.folder.url.path + "/state/private"
        let ran = try await Program.run(
            path, words, in: folder, environment: ["ANNEX_PRIVATE": place, "ANNEX_TODAY": folder.url.path + "/today"])
        #expect(ran.status == 0, "\(words) \(ran)")
        return ran.output.trimmingCharacters(in: .newlines)
    }

    private func cards(of view: TodayView, when isWanted: ([TodayCard]) -> Bool) async throws -> [TodayCard] {
        while true {
            let cards = await view.cards
            if isWanted(cards) { return cards }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// All texts of a card's view, from top to bottom.
    private func texts(_ card: TodayCard) -> [String] {
        func texts(_ node: ContentNode) -> [String] {
            switch node {
            case .text(let text, _): [text]
            case .row(let nodes), .list(let nodes): nodes.flatMap(texts)
            case .progress(_, let label): [label]
            default: []
            }
        }
        return card.state.view.map { texts($0.root) } ?? []
    }

    @Test func `ToDoList shows what its app adds, and finishes what the user ticks off`() async throws {
        let view = try await view(of: "ToDoList.app")
        try await view.show(on: TodaySurface(width: 320, expandedHeight: 400))
        _ = try await cards(of: view) { $0.first.map { texts($0) == ["Nothing to do"] } ?? false }
        _ = try await run("ToDoList", "add", "one", "two", "three", "four")
        _ = try await cards(of: view) { texts($0[0]) == ["four", "three", "two", "and 1 more"] }
        await view.perform(ContentAction(identifier: "done-1"), in: "com.example.todolist.today")
        _ = try await cards(of: view) { texts($0[0]) == ["four", "two", "one"] }
        #expect(try await run("ToDoList", "list") == "1  one\n2  two\n3  four")
        await view.close(within: .patience)
    }

    @Test func `the add button of ToDoList opens its app, which adds an entry`() async throws {
        let view = try await view(of: "ToDoList.app")
        try await view.show(on: TodaySurface(width: 320, expandedHeight: 400))
        _ = try await cards(of: view) { $0.first.map { texts($0) == ["Nothing to do"] } ?? false }
        await view.perform(ContentAction(identifier: "add"), in: "com.example.todolist.today")
        _ = try await cards(of: view) { texts($0[0]) == ["New entry"] }
        await view.close(within: .patience)
    }

    @Test func `Weather has no card before it knows a place, and more rows when it is expanded`() async throws {
        let view = try await view(of: "Weather.app")
        try await view.show(on: TodaySurface(width: 320, expandedHeight: 400))
        while await view.isUpdating { try await Task.sleep(for: .milliseconds(5)) }
        #expect(await view.cards.isEmpty)
        #expect(try await run("Weather", "in", "Lisbon") == "the widget shows the weather in Lisbon")
        let compact = try await cards(of: view) { $0.count == 1 }
        #expect(texts(compact[0]).contains("in Lisbon"), "\(texts(compact[0]))")
        await view.setExpanded(true, for: "com.example.weather.today")
        let expanded = try await cards(of: view) { texts($0[0]).count > texts(compact[0]).count }
        #expect(
            expanded[0].state.height(in: TodaySurface(width: 320, expandedHeight: 400).placement(expanded: true)) == 230
        )
        _ = try await run("Weather", "nowhere")
        #expect(try await cards(of: view) { $0.isEmpty }.isEmpty)
        await view.close(within: .patience)
    }

    @Test func `a widget without content, as its app says, does not run before the app says otherwise`() async throws {
        let view = try await view(of: "Weather.app")
        _ = try await run("Weather", "nowhere")
        try await view.show(on: TodaySurface(width: 320, expandedHeight: 400))
        #expect(await view.isUpdating == false, "nothing was launched")
        _ = try await run("Weather", "in", "Lisbon")
        _ = try await cards(of: view) { $0.count == 1 && $0[0].freshness == .fresh }
        // Another view, which is opened later, finds what the app has said.
        _ = try await run("Weather", "nowhere")
        let other = TodayView(
            of: try await AnnexHost.connect(to: daemon.socket),
            keepingIn: try TodayFolder(folder.url.path + "/today"))
        try await other.show(on: TodaySurface(width: 320, expandedHeight: 400))
        #expect(await other.cards.isEmpty)
        #expect(await other.isUpdating == false)
        await other.close(within: .patience)
        await view.close(within: .patience)
    }

    @Test(arguments: [
        (TodaySurface.Kind.lockScreen, ["com.example.news.today"]), (.quickActions, ["com.example.news.today"]),
        (.view, ["com.example.news.science", "com.example.news.sport", "com.example.news.today"]),
    ])
    func `each surface shows the widgets of News that are meant for it`(
        kind: TodaySurface.Kind, expected: [String]
    ) async throws {
        let view = try await view(of: "News.app")
        try await view.show(on: TodaySurface(kind, width: 320, expandedHeight: 400))
        #expect(try await cards(of: view) { $0.count == expected.count }.map(\.id).sorted() == expected)
        await view.close(within: .patience)
    }

    @Test func `News has three widgets, each with headlines of its own that change with each update`() async throws {
        let view = try await view(of: "News.app")
        try await view.show(on: TodaySurface(width: 320, expandedHeight: 400))
        while await view.isUpdating { try await Task.sleep(for: .milliseconds(5)) }
        let first = await view.cards
        #expect(first.map(\.widget.displayName).sorted() == ["News", "News — Science", "News — Sport"])
        #expect(Set(first.map(texts)).count == 3 && first.allSatisfy { texts($0).count == 3 })
        try await Task.sleep(for: TodayRules().betweenQuestions)
        for card in first { await view.update(card.id) }
        while await view.isUpdating { try await Task.sleep(for: .milliseconds(5)) }
        for (old, new) in zip(first, await view.cards) { #expect(texts(old).dropFirst() == texts(new).dropLast()) }
        await view.close(within: .patience)
    }
}
