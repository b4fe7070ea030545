internal import AnnexHost
internal import AnnexToday

/// Runs the live Today view. It draws the view after each change, and performs the user's actions.
///
/// Even if a widget or a broker does not answer, the user can end the view. One task does the work of the view, and
/// another task handles Control-C and the end of the terminal.
struct TodayLoop {
    /// How long the widgets may take to end after the user has quit.
    private static let farewell = Duration.seconds(1)

    private let view: TodayView
    private let kind: TodaySurface.Kind
    private let terminal: ScreenTerminal
    private let events = TodayEvents()

    init(_ view: TodayView, as kind: TodaySurface.Kind, on terminal: ScreenTerminal) {
        self.view = view
        self.kind = kind
        self.terminal = terminal
    }

    /// Runs the view. Returns when the user quits or the terminal is gone.
    func run() async throws(BrokerError) {
        let (ends, end) = AsyncStream.makeStream(of: Result<Void, BrokerError>.self)
        let tasks = [
            Task { [terminal, events] in
                for await event in terminal.events {
                    guard !event.isEnd else { break }
                    events.add(event)
                }
                end.yield(.success(()))
            },
            Task { [view, events] in for await _ in view.changes { events.addChange() } },
            Task {
                var work = TodayWork(view, as: kind, on: terminal, events: events)
                do throws(BrokerError) {
                    end.yield(.success(try await work.run()))
                } catch {
                    end.yield(.failure(error))
                }
            },
        ]
        var result: Result<Void, BrokerError> = .success(())
        for await first in ends {
            result = first
            break
        }
        for task in tasks { task.cancel() }
        await view.close(within: Self.farewell)
        try result.get()
    }
}

extension ScreenTerminal.Event {
    /// Whether this event ends the view at once, even while the view waits for a widget.
    fileprivate var isEnd: Bool {
        switch self {
        case .ended, .key(.interrupt): true
        default: false
        }
    }
}

/// The work of the live view. It handles one event after another.
private struct TodayWork {
    private let view: TodayView
    private let terminal: ScreenTerminal
    private let events: TodayEvents
    private var screen: TodayScreen

    init(_ view: TodayView, as kind: TodaySurface.Kind, on terminal: ScreenTerminal, events: TodayEvents) {
        screen = TodayScreen(kind, style: .forStandardOutput())
        self.view = view
        self.terminal = terminal
        self.events = events
    }

    /// Handles the events. Returns when the user quits.
    mutating func run() async throws(BrokerError) {
        screen.resize(to: terminal.size)
        try await view.show(on: screen.surface.surface)
        await draw()
        for await _ in events.arrivals {
            while let event = events.next() {
                guard await handles(event), !Task.isCancelled else { return }
            }
            await draw()
        }
    }

    private mutating func draw() async {
        screen.show(await view.cards)
        guard !Task.isCancelled else { return }
        terminal.draw(screen.lines())
    }

    /// - Returns: false if the view must end.
    private mutating func handles(_ event: TodayEvents.Event) async -> Bool {
        switch event {
        case .changed, .terminal(.ended): break
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
