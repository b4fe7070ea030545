import AnnexHost
import AnnexModel
import AnnexPolicy
import ArgumentParser

/// `annex today`: the widgets that are switched on, once.
struct TodayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "today",
        abstract: "Show the widgets of the Today view, each with fresh content.",
        discussion: """
            All widgets are launched at the same time. Each looks for fresh content, is drawn as a card, and ends. A widget \
            that fails, hangs or crashes keeps nothing back: the others are drawn, and its card says why it has no content.

            Widgets are off until you switch them on. With --app, this program has a broker of its own, needs no daemon, and \
            shows all widgets of these apps.

            EXAMPLES
              annex enable com.example.todolist.today && annex today
              annex today --app ToDoList.app
              annex today --only com.example.todolist.today --width 40     as on a narrow surface
              annex today --expanded
              annex today --json | jq -r '.widgets[] | [.identifier, .result] | @tsv'

            EXIT STATUS
              0   the widgets were shown; also if none is switched on
              1   a widget failed, or the broker rejects the request; the reason is printed
              64  the command line is not understood
              69  no daemon answers
            """)

    @Option(help: "Show the widgets of this app, with a broker of this program's own.", completion: .directory)
    var app: [String] = []

    @Option(help: ArgumentHelp("Show only this widget.", valueName: "identifier"))
    var only: String?

    @Option(help: ArgumentHelp("The columns of each card: 20 to 400.", valueName: "columns"))
    var width = 60

    @Flag(help: "Show the widgets at their full height, if they have more than the compact one.")
    var expanded = false

    @OptionGroup var daemon: DaemonChoice

    static let point = "com.apple.widget-extension"

    func validate() throws {
        try daemon.checkAlone(apps: app)
        guard (20...400).contains(width) else { throw ValidationError("--width \(width) is not between 20 and 400") }
    }

    func run() async throws {
        let host = try daemon.host(ofApps: app)
        let widgets = try widgets(of: host)
        let surface = TodaySurface(columns: width, isExpanded: expanded)
        let shown = await ShownWidget.all(widgets, of: host, on: surface)
        if daemon.json {
            print(JSON.object([.init("widgets", value: .list(shown.map { $0.json(on: surface) }))]).written)
        } else {
            let style = Style.forStandardOutput()
            for line in shown.flatMap({ $0.lines(on: surface, style: style) }) { print(line) }
            if shown.isEmpty {
                StandardError.print("annex: no widget is switched on: annex list --all --point \(Self.point)")
            }
        }
        guard shown.allSatisfy({ $0.failure == nil }) else { throw DaemonChoice.rejected }
    }

    private func widgets(of host: AnnexHost) throws -> [InstalledExtension] {
        try daemon.reporting { () throws(BrokerError) in
            if !app.isEmpty {
                for one in try host.installed() where one.extensionPoint == Self.point && one.rejection == nil {
                    try host.setEnabled(true, for: one.id)
                }
            }
            let widgets = try host.installed().filter { $0.extensionPoint == Self.point && $0.isOffered }
            guard let only else { return widgets }
            if let one = widgets.first(where: { $0.id == only }) { return [one] }
            throw BrokerError(
                .unknownExtension, what: "is no widget that is switched on", place: only,
                remedy: "annex list --all --point \(Self.point)")
        }
    }
}

/// The columns and lines that the Today view gives to each widget in a terminal.
struct TodaySurface: Sendable {
    /// The points of a column and of a line.
    private static let (column, line) = (8, 20)
    private static let mostLines = 40

    let columns: Int
    let isExpanded: Bool

    var placement: WidgetPlacement {
        WidgetPlacement(
            width: (columns - Card.frame) * Self.column, expandedHeight: Self.mostLines * Self.line,
            mode: isExpanded ? .expanded : .compact)
    }

    /// The lines for the content of a widget.
    func lines(for state: WidgetState) -> Int { state.height(in: placement) / Self.line }
}
