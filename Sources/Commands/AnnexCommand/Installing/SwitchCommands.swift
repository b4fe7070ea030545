import AnnexHost
import AnnexPolicy
import ArgumentParser

/// `annex enable`: makes a daemon offer disabled extensions again.
struct EnableCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enable",
        abstract: "Enable extensions that were disabled with annexd.",
        discussion: """
            annexd offers an enabled extension to your hosts again. `annex list --all` shows which extensions are off.

            EXAMPLES
              annex enable com.example.pictures.editor
              annex enable com.example.pictures.editor com.example.shout.loud --json

            EXIT STATUS
              0   the extensions are enabled; some may have been enabled before
              1   an extension is not installed, or the change could not be stored; the others are enabled
              64  the command line is not understood
              69  no daemon answers
            """)

    @Argument(help: "Bundle identifiers of extensions.")
    var extensions: [String]

    @OptionGroup var daemon: DaemonChoice

    func run() throws {
        try daemon.switchExtensions(extensions, on: true)
    }
}

/// `annex disable`: makes a daemon stop offering extensions. They stay installed.
struct DisableCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "disable",
        abstract: "Disable extensions: annexd stops offering them, and ends those that run.",
        discussion: """
            An extension stays disabled until `annex enable`, or until its app is removed. Restarts and a new version of \
            the app do not enable it. `annex list --all` shows disabled extensions with `off`.

            EXAMPLES
              annex disable com.example.pictures.editor
              annex disable com.example.pictures.editor && annex reports com.example.pictures.editor

            EXIT STATUS
              0   the extensions are disabled; some may have been disabled before
              1   an extension is not installed, or the change could not be stored; the others are disabled
              64  the command line is not understood
              69  no daemon answers
            """)

    @Argument(help: "Bundle identifiers of extensions.")
    var extensions: [String]

    @OptionGroup var daemon: DaemonChoice

    func run() throws {
        try daemon.switchExtensions(extensions, on: false)
    }
}

extension DaemonChoice {
    /// Enables or disables extensions. With `--json`, prints the identifiers of the extensions for which this
    /// succeeded.
    func switchExtensions(_ extensions: [String], on isEnabled: Bool) throws {
        let (changed, end) = try ask(about: extensions) { host, identifier throws(BrokerError) in
            try host.setEnabledAndWait(isEnabled, for: identifier)
            return identifier
        }
        if json { print(JSON.object([.init(isEnabled ? "enabled" : "disabled", value: .texts(changed))]).written) }
        if let end { throw end }
    }
}
