import AnnexBrokerAPI
import AnnexLinux
import AnnexModel
import AnnexTestSupport
import Testing

@testable import AnnexToday
@testable import AnnexTodayPage

/// The HTML of the page.
@Suite(.timeLimit(.minutes(20))) struct MarkupTests {
    private func markup(_ view: ContentNode) throws -> ContentMarkup {
        ContentMarkup(try ContentMessage(view).tree(), of: "com.example.a")
    }

    private func card(_ change: (inout TodayCard) throws -> Void) rethrows -> String {
        let widget = InstalledExtension(
            id: "com.example.a", displayName: "A <b>", extensionPoint: TodayView.point, containingApp: "com.example")
        var card = TodayCard(widget: widget, isExpanded: false)
        try change(&card)
        return CardMarkup(card, on: TodaySurface(width: 320, expandedHeight: 600)).markup(at: 1, of: 3).text
    }

    @Test func `each kind of node has its element`() throws {
        let made = try markup([
            "text", .text("faint", style: .secondary), .button("Press", action: "p"), .row(["a", "b"]), ["c"],
            .progress(0.5, label: "Load"), .progress(nil),
            .choice("Which", action: "w", options: ["1", "2"], chosen: 1),
            .image(PictureStart.png(width: 3, height: 4), description: "Sun"),
        ])
        for part in [
            "<p dir=\"auto\">text</p>", "<p class=\"secondary\" dir=\"auto\">faint</p>",
            "name=\"do\" value=\"perform:p\" dir=\"auto\">Press</button>", "<div class=\"row\"><p dir=\"auto\">a</p>",
            "<div class=\"list\"><p dir=\"auto\">c</p></div>", "<progress max=\"1\" value=\"0.5\"></progress>",
            "<progress max=\"1\"></progress>", "<legend dir=\"auto\">Which</legend>",
            "value=\"perform:w:1\" dir=\"auto\" aria-pressed=\"true\">2</button>",
            "alt=\"Sun\" width=\"3\" height=\"4\">",
        ] {
            #expect(made.markup.text.contains(part), "\(part) in \(made.markup.text)")
        }
        #expect(made.pictures.count == 1)
    }

    @Test(arguments: 0..<200)
    func `no text of a widget becomes markup`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let parts = [
            "<", ">", "\"", "'", "&", "script", "</p>", "&lt;", "=", " ", "x", "\u{1B}", "\u{202E}", "]]>", "<!--",
        ]
        func text() -> String {
            (0..<Int.random(in: 0...8, using: &random)).map { _ in parts.randomElement(using: &random) ?? "" }.joined()
        }
        let view: ContentNode = [
            .text(text()), .button(text(), action: "a"), .progress(nil, label: text()), .row([.text(text())]),
            .choice(text(), action: "c", options: [text()]),
            .image(PictureStart.png(width: 1, height: 1), description: text()),
        ]
        // If the escapes are removed, a text contains no angle bracket and no quote. So the remaining brackets and
        // quotes belong to the page itself.
        let made = try markup(view).markup.text
        let plain = try markup([
            "x", .button("x", action: "a"), .progress(nil, label: "x"), .row(["x"]),
            .choice("x", action: "c", options: ["x"]),
            .image(PictureStart.png(width: 1, height: 1), description: "x"),
        ]).markup.text
        for sign in ["<", ">", "\"", "'"] as [Character] {
            #expect(made.count { $0 == sign } == plain.count { $0 == sign }, "\(made)")
        }
    }

    @Test func `a card with very much text is cut`() throws {
        let long = String(repeating: "x", count: 4000)
        let text = try card { $0.state.view = try ContentMessage(.list((0..<50).map { _ in .text(long) })).tree() }
        #expect(text.utf8.count < 12_000)
        let many = try card { $0.state.view = try ContentMessage(.list((0..<900).map { _ in .text("x") })).tree() }
        #expect(many.ranges(of: "<p ").count <= 200)
    }

    @Test func `a card says how old its content is, and why it is not newer`() throws {
        let text = try card { card in
            card.state.view = try ContentMessage("content").tree()
            card.freshness = .old(since: WallClock(microseconds: 0))
            card.failure = "crashed: <SIGSEGV>"
        }
        #expect(text.contains("as of 1970-01-01"), "\(text)")
        #expect(text.contains("crashed: &lt;SIGSEGV&gt;") && text.contains("class=\"failed\""), "\(text)")
        #expect(text.contains(">A &lt;b&gt;</h2>"), "\(text)")
    }

    @Test func `a card has buttons for what the user can do with it`() throws {
        let compact = card { _ in }
        #expect(!compact.contains("value=\"expand\""))
        for wish in ["update", "move:0", "move:2", "remove"] {
            #expect(compact.contains("value=\"\(wish)\""), "\(compact)")
        }
        #expect(card { $0.state.largestAvailableDisplayMode = .expanded }.contains("value=\"expand\""))
    }

    @Test(arguments: [(-1, 0), (0, 0), (1, 10), (110, 110), (111, 120), (600, 600), (10_000, 600)])
    func `a height is a class of the style sheet`(points: Int, height: Int) {
        #expect(PageStyle.heightClass(points) == "h\(height)")
        #expect(PageStyle.sheet.contains(".h\(height){height:\(height)px}"))
        #expect(PageStyle.sheet.contains(".\(PageStyle.insetClass("t", points: points)){padding-top:"))
    }
}

extension String {
    fileprivate func components(_ separator: String) -> [String] {
        var parts = [""]
        var rest = self[...]
        while !rest.isEmpty {
            if rest.hasPrefix(separator) {
                parts.append("")
                rest = rest.dropFirst(separator.count)
            } else {
                parts[parts.count - 1].append(rest.removeFirst())
            }
        }
        return parts
    }
}
