import AnnexHost
import AnnexPolicy
import ArgumentParser

/// `annex open`: starts the app that registers a URL's scheme.
struct OpenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open",
        abstract: "Open a URL with the installed app that registers its scheme.",
        discussion: """
            annexd starts the app's own program outside of every sandbox, with the URL as its only argument. The app runs \
            on when this command ends. An app registers schemes with CFBundleURLTypes in its Info.plist.

            EXAMPLES
              annex open todolist://add
              annex open 'todolist://add?text=buy%20milk' --json | jq -r .app

            EXIT STATUS
              0   the app was started
              1   no app or several register the scheme, the text is no URL, or the app cannot be started
              64  the command line is not understood
              69  no daemon answers
            """)

    @Argument(help: "The URL.")
    var url: String

    @OptionGroup var daemon: DaemonChoice

    func run() throws {
        let app = try daemon.ask { host throws(BrokerError) in try host.openAndWait(url) }
        if daemon.json {
            print(JSON.object([.init("url", value: .text(url)), .init("app", value: .text(app))]).written)
        } else {
            print(PlainText.shown("opened with \(app)"))
        }
    }
}
