package import AnnexBrokerAPI
internal import AnnexModel
package import AnnexToday

/// The Today view as a page for browsers. It does not use the network itself: a server passes requests to it.
public actor TodayPage {
    private let view: TodayView
    private let visitors: PageGuard
    private var surface: TodaySurface
    private var readers: [Int: AsyncStream<[UInt8]>.Continuation] = [:]
    private var lastReader = 0

    /// The most pages that may be open at the same time.
    private static let mostReaders = 16
    /// The least time between two changes that open pages are told of.
    private static let pause = Duration.milliseconds(100)

    package init(of view: TodayView, as kind: TodaySurface.Kind = .view, guarding visitors: PageGuard) {
        surface = TodaySurface(kind, width: 320, expandedHeight: PageStyle.expandedHeight)
        self.view = view
        self.visitors = visitors
    }

    /// Shows the view, and tells open pages of each change. Returns when the view is closed.
    /// - Throws: if the broker does not answer.
    package func run() async throws(BrokerError) {
        try await view.show(on: surface)
        for await _ in view.changes {
            for reader in readers.values { reader.yield(Self.event) }
            try? await Task.sleep(for: Self.pause)
        }
        for reader in readers.values { reader.finish() }
    }

    // MARK: Requests

    /// The refusal of a request that does not come from the page; nil if the request comes from the page. This check
    /// needs only the head of the request.
    public nonisolated func refusal(of request: PageRequest) -> PageAnswer? {
        if case .failure(let refusal) = visitors.path(of: request) { refusal.answer } else { nil }
    }

    /// The answer to a request whose body is longer than a form of the page.
    public static let tooLong = PageAnswer.plain(413, saying: "This is no form of the page.")

    /// The answer to a whole request.
    public func answer(to request: PageRequest) async -> PageAnswer {
        let path: String
        switch visitors.path(of: request) {
        case .success(let found): path = found
        case .failure(let refusal): return refusal.answer
        }
        switch request.method {
        case "GET": return await page(path)
        case "POST" where path == "do": return await act(on: request)
        default:
            return .plain(
                405, saying: "This page is only read, and used by its own buttons.", headers: [("Allow", "GET")])
        }
    }

    private func page(_ path: String) async -> PageAnswer {
        switch path {
        case "":
            let nonce = PageGuard.newToken()
            return .text(
                PageMarkup.document(of: await contents, styledBy: nonce), type: "text/html", styledBy: nonce)
        case "cards": return .text(await contents.text, type: "text/html")
        case "script.js": return .text(PageScript.text, type: "text/javascript")
        case "events": return events()
        default: return await picture(path.split(separator: "/", omittingEmptySubsequences: false))
        }
    }

    private var contents: Markup {
        get async { PageMarkup.contents(await view.cards, offers: await view.offers, on: surface) }
    }

    /// A picture of a widget's present view, found by its number. The picture's bytes are sent unchanged, because
    /// browsers decode pictures in a sandbox.
    private func picture(_ words: [Substring]) async -> PageAnswer {
        guard words.count == 3, words[0] == "picture", let number = Int(words[2]),
            let card = await view.cards.first(where: { $0.id == words[1] }), let tree = card.content
        else { return PageGuard.Refusal.token.answer }
        let pictures = ContentMarkup(tree, of: card.id).pictures
        guard pictures.indices.contains(number) else { return PageGuard.Refusal.token.answer }
        let bytes = pictures[number]
        let isPNG = bytes.starts(with: [0x89, 0x50, 0x4E, 0x47])
        return PageAnswer(status: 200, type: isPNG ? "image/png" : "image/jpeg", body: .whole(bytes))
    }

    // MARK: The user

    private func act(on request: PageRequest) async -> PageAnswer {
        guard let wish = PageWish(form: request.body) else {
            return .plain(400, saying: "This is no form of the page.")
        }
        do throws(BrokerError) {
            try await fulfil(wish)
        } catch {
            return .plain(502, saying: "The broker has refused this: \(error)")
        }
        // If the page runs without its script, this answer makes the browser show the page again.
        return .plain(303, saying: "Done.", headers: [("Location", "./")])
    }

    private func fulfil(_ wish: PageWish) async throws(BrokerError) {
        switch wish {
        case .perform(let action, let identifier): await view.perform(action, in: identifier)
        case .setExpanded(let isExpanded, let identifier): await view.setExpanded(isExpanded, for: identifier)
        case .update(let identifier): await view.update(identifier)
        case .move(let identifier, let place): await view.move(identifier, to: place)
        case .setAdded(let isAdded, let identifier): try await view.setAdded(isAdded, for: identifier)
        case .width(let width):
            surface = TodaySurface(surface.kind, width: width, expandedHeight: PageStyle.expandedHeight)
            try await view.show(on: surface)
        }
    }

    // MARK: Events

    private static let event = Array("data: changed\n\n".utf8)

    /// A stream of events for one open page: one event immediately, and one after each change. A slow reader gets one
    /// event for all changes that it missed.
    private func events() -> PageAnswer {
        guard readers.count < Self.mostReaders else { return .plain(503, saying: "Too many pages are open.") }
        lastReader += 1
        let (events, reader) = AsyncStream.makeStream(of: [UInt8].self, bufferingPolicy: .bufferingNewest(1))
        readers[lastReader] = reader
        reader.yield(Self.event)
        reader.onTermination = { [weak self, number = lastReader] _ in Task { await self?.forget(number) } }
        return PageAnswer(status: 200, type: "text/event-stream", body: .events(events))
    }

    private func forget(_ reader: Int) { readers[reader] = nil }
}
