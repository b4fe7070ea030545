import AnnexHost
import AnnexPolicy
import ArgumentParser

/// `annex share`: shows the share sheet in the terminal.
struct ShareCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "share",
        abstract: "Hand files, a text or URLs to an extension that you pick from a share sheet.",
        discussion: """
            The sheet has two rows: the share extensions, which post things, and the actions, which view or change \
            them. It shows the extensions that take these things (annex list --for says why others do not). Pick one by \
            its number.

            A share extension may have a compose sheet. A line that you type becomes its text. A number opens a setting, \
            and a second number picks an option. These lines are commands:

              :post         post the text
              :cancel       give the sheet up
              :text WORDS   set the text, also to a number or to nothing

            An extension with a view of its own has numbered buttons instead. Input may also come from a pipe, one line \
            for each step. If it ends before the extension has answered, the sheet is given up.

            The answer is printed and stored as annex request does it.

            EXAMPLES
              annex share holiday.jpg sea.jpg
              annex share --text 'good morning' --app Translate.app
              printf '1\\nOn the beach\\n:post\\n' | annex share holiday.jpg --app MyPicture.app

            EXIT STATUS
              0   the extension answered, and its answer is stored
              1   no extension takes these things, the sheet was given up, or the extension failed; the reason is printed
              64  the command line is not understood
              66  a file cannot be read
              69  no daemon answers
            """)

    @Argument(help: "The files to hand over.", completion: .file())
    var files: [String] = []

    @Option(help: "A text to hand over. It also stands in the compose sheet.")
    var text: String?

    @Option(help: "A URL to hand over. May be given more than once.")
    var url: [String] = []

    @Option(help: "Offer the extensions of this app, which need not be installed.", completion: .directory)
    var app: [String] = []

    @Option(
        help: "The folder for the attachments of the answer. It is made if it does not exist.", completion: .directory)
    var out = "."

    @OptionGroup var daemon: DaemonChoice

    func validate() throws {
        try daemon.checkAlone(apps: app)
        guard !files.isEmpty || text != nil || !url.isEmpty else {
            throw ValidationError("nothing to share: name files, or give --text or --url")
        }
        guard text != "-" else {
            throw ValidationError("--text - cannot be used here: standard input is for what you type into the sheet")
        }
    }

    func run() async throws {
        SignalledExit.begin()
        var content = RequestContent()
        content.text = text
        content.file = files
        content.url = url
        (content.info, content.adjustments) = ([], nil)
        let host = try daemon.host(ofApps: app)
        let item = try content.item(try daemon.reporting { () throws(BrokerError) in try host.typesAndWait() })
        let sheet = try daemon.reporting { () throws(BrokerError) in try ShareSheet(for: item, on: host) }
        let typed = TypedLines()
        let outcome = await RequestOutcome(storingIn: out) {
            guard !sheet.isEmpty else { throw ShareFailure.noExtension }
            let screen = ShareScreen(json: daemon.json)
            let picked = try await sheet.pick(from: typed, on: screen)
            let dialogue = try await host.compose(
                [item], with: picked.id, as: picked.extensionPoint, text: text ?? "",
                accepting: RequestOutcome.acceptance)
            let answer = try await ComposeLoop(dialogue, named: picked.displayName, on: screen).answer(typed)
            return (answer, dialogue.session.termination)
        }
        if daemon.json { print(outcome.json.written) } else { outcome.printLines() }
        if let failure = outcome.failure {
            StandardError.print("annex: \(PlainText.shown(failure))")
            throw DaemonChoice.rejected
        }
    }
}

/// The reason why nothing was shared.
enum ShareFailure: Error, CustomStringConvertible {
    case noExtension
    case givenUp

    var description: String {
        switch self {
        case .noExtension: "no share extension or action takes these things; annex list --for FILE says why"
        case .givenUp: "given up: nothing was shared"
        }
    }
}

/// The stream on which the sheet is drawn. If standard output is used for JSON, the sheet is drawn on standard error.
struct ShareScreen {
    let json: Bool
    let style: Style
    let width: Int

    init(json: Bool) {
        self.json = json
        style = json ? Style(isColoured: false) : .forStandardOutput()
        width = 60
    }

    func draw(_ lines: [String]) {
        if json { lines.forEach(StandardError.print) } else { lines.forEach { print($0) } }
    }
}
