import ArgumentParser

/// `annex enable`: offers disabled extensions again.
struct EnableCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enable",
        abstract: "Switch extensions on that were switched off with annexd.",
        discussion: """
            `annex list --all` shows which are off.

            EXAMPLES
              annex enable com.example.pictures.editor
              annex enable com.example.pictures.editor com.example.shout.loud --json

            EXIT STATUS
              0   on; also what was on already
              1   no such extension is installed, or the disk refused; the others are on
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
