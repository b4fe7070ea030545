internal import AnnexHost
internal import AnnexToday

/// Runs the live Today view: draws it after each change, and does what the user wants.
struct TodayLoop {
    private enum Event: Sendable {
        case changed
        case terminal(ScreenTerminal.Event)
    }

    /// How long the widgets may take to end after the user has quit.
    private static let farewell = Duration.seconds(1)

    private let view: TodayView
    private let terminal: ScreenTerminal
    private var screen: TodayScreen

    init(_ view: TodayView, on terminal: ScreenTerminal) {
        self.view = view
        self.terminal = terminal
        screen = TodayScreen(style: .forStandardOutput())
    }

    /// Returns when the user quits, or the terminal is gone.
    mutating func run() async throws(BrokerError) {
        screen.resize(to: terminal.size)
        try await view.show(on: screen.surface.surface)
        let (events, continuation) = AsyncStream.makeStream(of: Event.self)
        let sources = [
            Task { [view] in for await _ in view.changes { continuation.yield(.changed) } },
            Task { [terminal] in for await event in terminal.events { continuation.yield(.terminal(event)) } },
        ]
        await draw()
        for await event in events {
            guard await handles(event) else { break }
            await draw()
        }
        for source in sources { source.cancel() }
        await view.close(within: Self.farewell)
    }

    private mutating func draw() async {
        screen.show(await view.cards)
        terminal.draw(screen.lines())
    }

    /// - Returns: false if the view is to end.
    private mutating func handles(_ event: Event) async -> Bool {
        switch event {
        case .changed: break
        case .terminal(.ended): return false
        case .terminal(.resized):
            terminal.clear()
            screen.resize(to: terminal.size)
            try? await view.show(on: screen.surface.surface)
        case .terminal(.key(.suspend)):
            terminal.suspend()
        case .terminal(.key(let key)):
            guard let wish = screen.wish(for: key) else { return true }
            guard wish != .quit else { return false }
            do throws(BrokerError) {
                try await fulfil(wish)
            } catch {
                screen.show(message: "\(error)")
            }
        }
        return true
    }

    private mutating func fulfil(_ wish: TodayScreen.Wish) async throws(BrokerError) {
        switch wish {
        case .quit: break
        case .perform(let action, let identifier): await view.perform(action, in: identifier)
        case .update(let identifiers): for identifier in identifiers { await view.update(identifier) }
        case .setExpanded(let isExpanded, let identifier): await view.setExpanded(isExpanded, for: identifier)
        case .move(let identifier, let place): await view.move(identifier, to: place)
        case .setAdded(let isAdded, let identifier): try await view.setAdded(isAdded, for: identifier)
        case .offers:
            screen.show(await view.offers.map { TodayScreen.Offer(identifier: $0.id, name: $0.displayName) })
        }
    }
}
