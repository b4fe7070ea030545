internal import AnnexBrokerAPI
internal import AnnexToday

/// Makes the whole document of the page, and the part of the document that changes.
enum PageMarkup {
    /// - Parameter nonce: the word by which the content security policy recognizes the style sheet. The style sheet is
    ///   part of the document, so the browser does not have to wait for it.
    static func document(of contents: Markup, styledBy nonce: String) -> String {
        var page = Markup()
        page.add("html", with: [("lang", "en")]) { html in
            html.add("head") { head in addHead(to: &head, styledBy: nonce) }
            html.add("body") { body in
                body.add("header") { header in
                    header.add("h1") { $0.add("Today") }
                    header.add("p", with: [("id", "state"), ("role", "status")]) { _ in }
                }
                body.add("main", with: [("id", "cards")]) { $0.add(contents) }
            }
        }
        return "<!doctype html>\n" + page.text
    }

    private static func addHead(to head: inout Markup, styledBy nonce: String) {
        head.addEmpty("meta", with: [("charset", "utf-8")])
        head.addEmpty("meta", with: [("name", "viewport"), ("content", "width=device-width, initial-scale=1")])
        head.addEmpty("meta", with: [("name", "color-scheme"), ("content", "light dark")])
        head.add("title") { $0.add("Today") }
        // If the page names no icon, browsers request an icon at an address that does not belong to the page.
        head.addEmpty("link", with: [("rel", "icon"), ("href", "data:,")])
        head.addStyleSheet(knownBy: nonce)
        head.add("script", with: [("src", "script.js"), ("defer", "")]) { _ in }
    }

    /// All cards, and the widgets that the user can add.
    static func contents(_ cards: [TodayCard], offers: [InstalledExtension], on surface: TodaySurface) -> Markup {
        var markup = Markup()
        for (place, card) in cards.enumerated() {
            markup.add(CardMarkup(card, on: surface).markup(at: place, of: cards.count))
        }
        if cards.isEmpty { markup.add("p", with: [("id", "empty")]) { $0.add("No widget is switched on.") } }
        if !offers.isEmpty { add(offers, to: &markup) }
        return markup
    }

    private static func add(_ offers: [InstalledExtension], to markup: inout Markup) {
        markup.add("section", with: [("id", "offers"), ("aria-labelledby", "offers-title")]) { section in
            section.add("h2", with: [("id", "offers-title")]) { $0.add("More widgets") }
            for offer in offers {
                section.add("form", with: [("method", "post"), ("action", "do")]) { form in
                    form.addEmpty("input", with: [("type", "hidden"), ("name", "widget"), ("value", offer.id)])
                    form.add("button", with: [("name", "do"), ("value", "add"), ("id", "add-\(offer.id)")]) {
                        $0.add("Add \(offer.displayName)")
                    }
                }
            }
        }
    }
}
