import AnnexBrokerAPI
import AnnexLinux
import AnnexModel
import AnnexTestSupport
import Synchronization
import Testing

@testable import AnnexCommand
@testable import AnnexToday

/// The live Today view: its drawing, and the meaning of keys.
@Suite(.timeLimit(.minutes(20))) struct TodayScreenTests {
    private func card(_ name: String, _ view: ContentNode?, change: (inout TodayCard) -> Void = { _ in }) throws
        -> TodayCard
    {
        let widget = InstalledExtension(
            id: "com.example.\(name)", displayName: name, extensionPoint: TodayView.point, containingApp: "com.example")
        var card = TodayCard(widget: widget, isExpanded: false)
        card.state.view = try view.map { try ContentMessage($0).tree() }
        card.freshness = .fresh
        change(&card)
        return card
    }

    private func screen(_ cards: TodayCard..., columns: Int = 30, rows: Int = 12) -> TodayScreen {
        var screen = TodayScreen(style: Style(isColoured: false))
        screen.resize(to: (columns, rows))
        screen.show(cards)
        return screen
    }

    private let buttons: ContentNode = ["text", .row([.button("Yes", action: "yes"), .button("No", action: "no")])]

    @Test func `cards are drawn below each other, and the keys below them`() throws {
        var screen = screen(try card("one", "a"), try card("two", "b"), columns: 24, rows: 8)
        #expect(
            screen.lines() == [
                "╭─ ▸ one ──────────────╮", "│ a                    │", "╰──────────────────────╯",
                "╭─ two ────────────────╮", "│ b                    │", "╰──────────────────────╯", "",
                " ↑↓ choose  1-9 press  e",
            ])
    }

    @Test func `a card with old content says since when, and a failed one why`() throws {
        let long = WallClock(microseconds: 1_000_000_000_000_000)
        var screen = screen(
            try card("old", "a") { $0.freshness = .old(since: long) },
            try card("bad", nil) { $0.failure = "ended: cra\u{1B}shed" }, columns: 50, rows: 10)
        let lines = screen.lines()
        #expect(lines[2].contains(" as of 2001-09-0"), "\(lines)")
        #expect(lines.contains { $0.contains("ended: cra") } && !lines.joined().contains("\u{1B}"), "\(lines)")
    }

    @Test func `a number presses a button of the chosen card`() throws {
        var screen = screen(try card("one", buttons), try card("two", buttons))
        #expect(screen.wish(for: .character("2")) == .perform(ContentAction(identifier: "no"), in: "com.example.one"))
        #expect(screen.wish(for: .down) == nil)
        #expect(screen.wish(for: .character("1")) == .perform(ContentAction(identifier: "yes"), in: "com.example.two"))
        for key in ["0", "3", "9"] as [Character] { #expect(screen.wish(for: .character(key)) == nil) }
    }

    @Test func `a number that may go on waits for its end`() throws {
        let many = ContentNode.choice("c", action: "c", options: (1...12).map { "\($0)" })
        var screen = screen(
            try card("one", many) {
                $0.isExpanded = true; $0.state.largestAvailableDisplayMode = .expanded
            })
        #expect(screen.wish(for: .character("1")) == nil)
        let second = ContentAction(identifier: "c", option: 1)
        #expect(
            screen.wish(for: .character("2"))
                == .perform(ContentAction(identifier: "c", option: 11), in: "com.example.one"))
        #expect(screen.wish(for: .character("2")) == .perform(second, in: "com.example.one"))
        #expect(screen.wish(for: .character("1")) == nil)
        #expect(screen.wish(for: .enter) == .perform(ContentAction(identifier: "c", option: 0), in: "com.example.one"))
    }

    @Test func `a button that is not drawn cannot be pressed`() throws {
        let rows = (1...20).map { ContentNode.button("b\($0)", action: "b\($0)") }
        var screen = screen(try card("one", .list(rows)), rows: 40)
        let drawn = screen.lines().count { $0.contains("b") && $0.contains("[") }
        #expect(drawn == 4, "a compact widget has five lines, and the last one says that there is more")
        #expect(screen.wish(for: .character("4")) == .perform(ContentAction(identifier: "b4"), in: "com.example.one"))
        #expect(screen.wish(for: .character("5")) == nil)
    }

    @Test func `a click presses the button under it, and chooses the card under it`() throws {
        let clock = StoppedClock()
        var screen = TodayScreen(style: Style(isColoured: false), clock: clock)
        screen.resize(to: (30, 12))
        screen.show([try card("one", buttons), try card("two", buttons)])
        clock.advance(by: .seconds(1))
        let lines = screen.lines()
        // "│ [1] Yes  [2] No            │"
        #expect(lines[6].hasPrefix("│ [1] Yes  [2] No"), "\(lines)")
        #expect(
            screen.wish(for: .click(column: 11, row: 6))
                == .perform(ContentAction(identifier: "no"), in: "com.example.two"))
        #expect(screen.lines()[4].contains("▸ two"))
        for column in [0, 1, 9, 10, 17, 29, 500] { #expect(screen.wish(for: .click(column: column, row: 6)) == nil) }
        for row in [5, 7, 8, 11, 12, 5000] { #expect(screen.wish(for: .click(column: 2, row: row)) == nil) }
    }

    @Test func `letters expand, refresh, move and remove the chosen card`() throws {
        var screen = screen(try card("one", "a"), try card("two", "b"))
        let one = "com.example.one"
        #expect(screen.wish(for: .character("e")) == .setExpanded(true, one))
        #expect(screen.wish(for: .character("r")) == .update([one]))
        #expect(screen.wish(for: .character("R")) == .update([one, "com.example.two"]))
        #expect(screen.wish(for: .character("J")) == .move(one, to: 1))
        #expect(screen.wish(for: .character("K")) == nil, "it is the first one")
        #expect(screen.wish(for: .character("x")) == .setAdded(false, one))
        for key in [Key.character("q"), .escape] { #expect(screen.wish(for: key) == .quit) }
    }

    @Test func `a widget is added from a list of its own`() throws {
        var screen = screen(columns: 60)
        #expect(screen.lines()[1].contains("press a to add one"))
        #expect(screen.wish(for: .character("a")) == .offers)
        screen.show([
            TodayScreen.Offer(identifier: "i.one", name: "One"), .init(identifier: "i.two", name: "T\u{1B}wo"),
        ])
        #expect(!screen.lines().joined().contains("\u{1B}"))
        #expect(screen.wish(for: .down) == nil)
        #expect(screen.wish(for: .down) == nil)
        #expect(screen.wish(for: .enter) == .setAdded(true, "i.two"))
        screen.show([TodayScreen.Offer(identifier: "i.one", name: "One")])
        #expect(screen.wish(for: .escape) == nil)
        #expect(screen.lines()[1].contains("press a to add one"))
        screen.show([] as [TodayScreen.Offer])
        #expect(screen.lines().last == " no other widget is installed")
    }

    @Test func `a card that goes gives its choice to the next one`() throws {
        let cards = try ["one", "two", "three"].map { try card($0, "a") }
        var screen = screen(cards[0], cards[1], cards[2], rows: 20)
        _ = screen.wish(for: .down)
        screen.show([cards[0], cards[2]])
        #expect(screen.lines()[3].contains("▸ three"))
        screen.show([] as [TodayCard])
        #expect(screen.wish(for: .character("x")) == nil)
    }

    @Test func `a key that was meant for a card that goes does not act on the next one`() throws {
        let cards = try ["one", "two"].map { try card($0, buttons) }
        let clock = StoppedClock()
        var screen = TodayScreen(style: Style(isColoured: false), clock: clock)
        screen.resize(to: (40, 20))
        screen.show(cards)
        clock.advance(by: .seconds(1))
        let many = ContentNode.choice("c", action: "c", options: (1...12).map { "\($0)" })
        screen.show([try card("zero", many), cards[1]])
        #expect(screen.lines()[0].contains("▸ zero"), "the card that was chosen has gone")
        for key in [Key.character("1"), .character("x"), .character("e"), .character("r"), .enter] {
            #expect(screen.wish(for: key) == nil)
        }
        #expect(screen.wish(for: .click(column: 3, row: 2)) == nil, "another card is under the mouse")
        clock.advance(by: .milliseconds(300))
        #expect(screen.wish(for: .character("x")) == .setAdded(false, "com.example.zero"))
    }

    @Test(arguments: 0..<100)
    func `any keys on any cards give a screen that fits the terminal`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let all = try (0..<5).map { index in
            try card(
                "w\(index)",
                .list((0..<Int.random(in: 0...30, using: &random)).map { .button("b \($0) 世界", action: "b") }))
        }
        var screen = screen()
        let keys: [Key] = [
            .up, .down, .pageUp, .pageDown, .home, .end, .wheelUp, .wheelDown, .tab, .enter, .left, .backspace,
            .character("1"), .character("9"), .character("e"), .character("x"), .character("J"),
        ]
        for _ in 0..<100 {
            let size = (columns: Int.random(in: 20...120, using: &random), rows: Int.random(in: 1...40, using: &random))
            screen.resize(to: size)
            screen.show(Array(all.prefix(Int.random(in: 0...5, using: &random))))
            _ = screen.wish(for: keys.randomElement(using: &random) ?? .up)
            _ = screen.wish(
                for: .click(
                    column: Int.random(in: 0...130, using: &random), row: Int.random(in: 0...50, using: &random)))
            let lines = screen.lines()
            #expect(lines.count == max(size.rows, 2) && lines.allSatisfy { TextColumns.count($0) <= size.columns })
        }
    }
}

/// A clock that a test advances.
private final class StoppedClock: TodayClock {
    private let time = Mutex(Duration.zero)

    var now: Duration { time.withLock { $0 } }
    func advance(by more: Duration) { time.withLock { $0 += more } }
    func sleep(until moment: Duration) async throws {}
}
