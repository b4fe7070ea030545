import ArgumentParser

/// `annex disable`: keeps extensions installed, but no longer offers them.
struct DisableCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "disable",
        abstract: "Switch extensions off with annexd: they are not offered any more, and those that run end.",
        discussion: """
            An extension stays off over restarts and when its app is replaced, until `annex enable` or until its app \
            is removed. `annex list --all` shows it meanwhile.

            EXAMPLES
              annex disable com.example.pictures.editor
              annex disable com.example.pictures.editor && annex reports com.example.pictures.editor

            EXIT STATUS
              0   off; also what was off already
              1   no such extension is installed, or the disk refused; the others are off
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
