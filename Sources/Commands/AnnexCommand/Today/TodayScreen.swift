internal import AnnexHost
internal import AnnexModel
internal import AnnexToday

/// The live Today view in a terminal. It decides what the view shows and what each key means. It performs no actions
/// itself.
struct TodayScreen {
    /// An action that the user wants.
    enum Wish: Equatable {
        case quit
        case perform(ContentAction, in: String)
        case update([String])
        case setExpanded(Bool, String)
        case move(String, to: Int)
        case setAdded(Bool, String)
        /// Shows the widgets that could be added.
        case offers
    }

    private enum Page: Equatable {
        case cards
        case offers([Offer], chosen: Int)
    }

    struct Offer: Equatable {
        let identifier: String
        let name: String
    }

    private static let widest = 72
    private static let narrowest = 20
    private static let hints = "↑↓ choose  1-9 press  e expand  r refresh"
    private static let arranging = "  J K move  x remove  a add"

    /// How long keys have no effect after another card has taken the place of the chosen card. A key that was meant for
    /// the previous card must not affect the next card.
    private static let surprise = Duration.milliseconds(300)

    private let kind: TodaySurface.Kind
    private let style: Style
    private let clock: any TodayClock
    private var size: (columns: Int, rows: Int) = (80, 24)
    private(set) var cards: [TodayCard] = []
    /// The identifier of the chosen card. The numbers that the user types stand for the actions of this card.
    private var chosen: String?
    private var page = Page.cards
    /// The first visible line of the cards.
    private var offset = 0
    /// The digits that the user has typed so far. More digits of the same number may follow.
    private var digits = ""
    /// A message for the user. It is shown until the next key.
    private var message = ""
    /// `choice` is the time at which another card took the place of the chosen card. `places` is the last time at which
    /// the cards moved. After a move, another card may be under the mouse.
    private var changed = (choice: Duration?.none, places: Duration?.none)

    init(_ kind: TodaySurface.Kind = .view, style: Style, clock: any TodayClock = MachineClock()) {
        self.kind = kind
        self.style = style
        self.clock = clock
    }

    /// - Parameter size: the size of the terminal, in characters.
    mutating func resize(to size: (columns: Int, rows: Int)) { self.size = size }

    mutating func show(_ cards: [TodayCard]) {
        let place = self.cards.firstIndex { $0.id == chosen } ?? 0
        if cards.map(\.id) != self.cards.map(\.id) { changed.places = clock.now }
        self.cards = cards
        // If the chosen card is gone, the next card is chosen.
        guard !cards.contains(where: { $0.id == chosen }) else { return }
        changed.choice = chosen.map { _ in clock.now }
        digits = ""
        chosen = cards.isEmpty ? nil : cards[min(place, cards.count - 1)].id
    }

    private func isRecent(_ moment: Duration?) -> Bool { moment.map { clock.now < $0 + Self.surprise } ?? false }

    mutating func show(_ offers: [Offer]) {
        if offers.isEmpty { message = "no other widget is installed" } else { page = .offers(offers, chosen: 0) }
    }

    mutating func show(message: String) { self.message = message }

    var surface: TerminalSurface {
        TerminalSurface(kind: kind, columns: min(max(size.columns, Self.narrowest), Self.widest))
    }

    // MARK: Keys

    mutating func wish(for key: Key) -> Wish? {
        message = ""
        if case .offers(let offers, let chosen) = page { return wish(for: key, among: offers, chosen) }
        if case .character(let digit) = key, digit.isNumber { return press(digit) }
        defer { digits = "" }
        switch key {
        case .click(let column, let row): return click(at: column, row: row)
        case .wheelUp: offset = max(0, offset - 3)
        case .wheelDown: offset += 3
        case .pageUp: offset = max(0, offset - room)
        case .pageDown: offset += room
        case .up, .character("k"): choose(-1)
        case .down, .tab, .character("j"): choose(1)
        case .home: choose(-cards.count)
        case .end: choose(cards.count)
        case .enter where !digits.isEmpty: return pick(Int(digits) ?? 0)
        default: return wish(forLetter: key)
        }
        return nil
    }

    private mutating func wish(forLetter key: Key) -> Wish? {
        switch key {
        case .character("q"), .escape: return .quit
        case .character("a"): return .offers
        case .character("R"): return .update(cards.map(\.id))
        default: break
        }
        guard let place, case .character(let letter) = key, !isRecent(changed.choice) else { return nil }
        let card = cards[place]
        switch letter {
        case "r": return .update([card.id])
        case "e", " ": return .setExpanded(!card.isExpanded, card.id)
        case "J" where place < cards.count - 1: return .move(card.id, to: place + 1)
        case "K" where place > 0: return .move(card.id, to: place - 1)
        case "x": return .setAdded(false, card.id)
        default: return nil
        }
    }

    private mutating func wish(for key: Key, among offers: [Offer], _ chosen: Int) -> Wish? {
        switch key {
        case .up, .character("k"): page = .offers(offers, chosen: max(0, chosen - 1))
        case .down, .tab, .character("j"): page = .offers(offers, chosen: min(offers.count - 1, chosen + 1))
        case .enter, .character("a"):
            page = .cards
            return .setAdded(true, offers[chosen].identifier)
        case .escape, .character("q"): page = .cards
        default: break
        }
        return nil
    }

    private var place: Int? { cards.firstIndex { $0.id == chosen } }

    private mutating func choose(_ steps: Int) {
        guard let place else { return }
        chosen = cards[min(max(place + steps, 0), cards.count - 1)].id
        showChosen()
    }

    /// Handles a digit. A number takes effect at once, unless the card has a longer number that begins with the same
    /// digits.
    private mutating func press(_ digit: Character) -> Wish? {
        digits.append(digit)
        guard let place, let number = Int(digits), number > 0 else {
            digits = ""
            return nil
        }
        guard number * 10 > drawing(of: cards[place]).picks.count else { return nil }
        digits = ""
        return pick(number)
    }

    private func pick(_ number: Int) -> Wish? {
        guard let place, !isRecent(changed.choice) else { return nil }
        let picks = drawing(of: cards[place]).picks
        return picks.indices.contains(number - 1) ? .perform(picks[number - 1], in: cards[place].id) : nil
    }

    /// A click chooses the card under the mouse. If the click hits a pick, it also performs that pick.
    private mutating func click(at column: Int, row: Int) -> Wish? {
        guard row < room, !isRecent(changed.places) else { return nil }
        var line = offset + row
        for card in cards {
            let drawing = drawing(of: card)
            let height = drawing.lines().count
            guard line >= height else {
                chosen = card.id
                // The frame takes one line above the content and two columns before it.
                let spots = drawing.spots.indices.contains(line - 1) ? drawing.spots[line - 1] : []
                guard let spot = spots.first(where: { $0.columns.contains(column - 2) }) else { return nil }
                return pick(spot.pick + 1)
            }
            line -= height
        }
        return nil
    }

    // MARK: Drawing

    /// The rows for the cards. One further row shows the keys.
    private var room: Int { max(size.rows - 1, 1) }

    private func drawing(of card: TodayCard) -> TodayDrawing {
        TodayDrawing(card: card, surface: surface, style: style)
    }

    /// Scrolls so that the chosen card is visible. If the card is too high, its top is visible.
    private mutating func showChosen() {
        guard let place else { return }
        let heights = cards.map { drawing(of: $0).lines().count }
        let top = heights[..<place].reduce(0, +)
        offset = min(top, max(offset, top + heights[place] - room))
    }

    /// All lines of the screen.
    mutating func lines() -> [String] {
        let all: [String]
        switch page {
        case .cards: all = cards.isEmpty ? ["", fitting("  " + lack)] : cardLines
        case .offers(let offers, let chosen): all = lines(of: offers, chosen)
        }
        offset = min(offset, max(0, all.count - room))
        let visible = Array(all.dropFirst(offset).prefix(room))
        return visible + Array(repeating: "", count: room - visible.count) + [footer]
    }

    /// A message that says why there is no card.
    private var lack: String {
        switch kind {
        case .view: "no widget is switched on: press a to add one"
        case .lockScreen: "no widget may be shown on a lock screen"
        case .quickActions: "no app names a widget for quick actions"
        }
    }

    private var cardLines: [String] {
        cards.flatMap { drawing(of: $0).lines(isChosen: $0.id == chosen) }
    }

    private func lines(of offers: [Offer], _ chosen: Int) -> [String] {
        let rows = offers.enumerated().map { index, offer in
            fitting((index == chosen ? "▸ " : "  ") + "\(PlainText.shown(offer.name))  (\(offer.identifier))")
        }
        return [style.bold("Add a widget"), ""] + rows + ["", style.faint(fitting("Enter adds, Esc goes back"))]
    }

    /// The beginning of a text, as far as it fits into a row.
    private func fitting(_ text: String) -> String {
        var columns = 0
        let scalars = text.unicodeScalars.prefix { scalar in
            columns += TextColumns.count(String(scalar))
            return columns <= size.columns
        }
        return String(String.UnicodeScalarView(scalars))
    }

    private var footer: String {
        let keys = Self.hints + (kind.isLocked ? "" : Self.arranging) + "  q quit"
        let hint = digits.isEmpty ? keys : digits
        return style.faint(fitting(" " + (message.isEmpty ? hint : PlainText.shown(message))))
    }
}
