import AnnexHost
import AnnexLinux
import AnnexModel
import AnnexPolicy
import AnnexToday
import ArgumentParser

/// `annex today`: shows the widgets that are switched on.
struct TodayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "today",
        abstract: "Show the widgets of the Today view.",
        discussion: """
            In a terminal, the view stays: it shows the last content of each widget at once, then the fresh one, and you \
            press the widgets' buttons by their numbers or with the mouse. The last line shows the keys. Elsewhere, and \
            with --once, each widget is updated and printed once.

            A widget that fails, hangs or crashes holds up no other one. Its card keeps the last content, with its age and \
            the reason.

            Widgets are off until you switch them on: in the view, press a. With --app, this program has a broker of its \
            own, needs no daemon, and shows all widgets of these apps.

            EXAMPLES
              annex today
              annex today --app ToDoList.app
              annex today --app ToDoList.app --grant com.apple.security.application-groups
              annex today --app Feed.app --grant com.apple.security.network.client --host feed.example.org:80
              annex today --once --only com.example.todolist.today --width 40     as on a narrow surface
              annex today --once --expanded
              annex today --surface lock-screen                                  only what needs no login
              annex today --json | jq -r '.widgets[] | [.identifier, .result] | @tsv'

            FILES
              ~/.local/state/annex/today    the last content of each widget, and their order; for root \
            /var/lib/annex/today. ANNEX_TODAY names another folder

            EXIT STATUS
              0   the widgets were shown; also if none is switched on
              1   with --once or --json, a widget failed; or the broker rejects the request. The reason is printed
              64  the command line is not understood
              69  no daemon answers
            """)

    @Flag(help: "Update the widgets, print them once, and end. This is so if the output is no terminal.")
    var once = false

    @Option(help: ArgumentHelp("With --once: the columns of each card, 20 to 400.", valueName: "columns"))
    var width = 60

    @Flag(help: "With --once: show the widgets at their full height, if they have more than the compact one.")
    var expanded = false

    @OptionGroup var choice: TodayChoice

    @OptionGroup var daemon: DaemonChoice

    func validate() throws {
        try choice.check(with: daemon)
        guard (20...400).contains(width) else { throw ValidationError("--width \(width) is not between 20 and 400") }
    }

    func run() async throws {
        let (view, widgets) = try choice.view(through: daemon)
        if !once, !daemon.json, let terminal = ScreenTerminal() { return try await show(view, on: terminal) }
        SignalledExit.begin()
        let cards = try await updated(widgets, in: view)
        print(cards)
        guard cards.allSatisfy({ $0.failure == nil }) else { throw DaemonChoice.rejected }
    }

    private func show(_ view: TodayView, on terminal: ScreenTerminal) async throws {
        let loop = TodayLoop(view, as: choice.surface, on: terminal)
        let result: Result<Void, BrokerError>
        do throws(BrokerError) {
            result = .success(try await loop.run())
        } catch {
            result = .failure(error)
        }
        // The user's own screen is restored first, so that the error stays visible on it.
        terminal.close()
        try daemon.reporting { () throws(BrokerError) in try result.get() }
    }

    // MARK: Once

    private var surface: TerminalSurface { TerminalSurface(kind: choice.surface, columns: width) }

    private func updated(_ widgets: [InstalledExtension], in view: TodayView) async throws -> [TodayCard] {
        let shown: Result<Void, BrokerError>
        do throws(BrokerError) {
            if expanded { for widget in widgets { await view.setExpanded(true, for: widget.id) } }
            shown = .success(try await view.show(on: surface.surface))
        } catch {
            shown = .failure(error)
        }
        try daemon.reporting { () throws(BrokerError) in try shown.get() }
        var changes = view.changes.makeAsyncIterator()
        while await view.isUpdating, await changes.next() != nil {}
        let cards = await view.cards
        await view.close(within: .seconds(1))
        return cards
    }

    private func print(_ cards: [TodayCard]) {
        let surface = surface
        if daemon.json {
            let all = cards.map { TodayDrawing(card: $0, surface: surface, style: Style(isColoured: false)).json() }
            return Swift.print(JSON.object([.init("widgets", value: .list(all))]).written)
        }
        let style = Style.forStandardOutput()
        for line in cards.flatMap({ TodayDrawing(card: $0, surface: surface, style: style).lines() }) {
            Swift.print(line)
        }
        if cards.isEmpty {
            StandardError.print("annex: no widget is switched on: annex list --all --point \(TodayView.point)")
        }
    }
}
