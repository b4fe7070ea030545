import ArgumentParser

struct Annex: AsyncParsableCommand {
    static let version = "0.1.0"

    static let configuration = CommandConfiguration(
        commandName: "annex",
        abstract: "App extensions for Linux: code that nobody trusts does one task for a program, in a sandbox.",
        discussion: """
            EXAMPLES
              annex demo                      a picture edited by code that nobody trusts
              annex demo holiday.jpg          the same with a picture of yours; the result lies beside it
              annex demo --json               every figure for a program to read
              annex policy explain compute ptrace      what a policy says, and by which line
              annex install Pictures.app      with annexd, for every host of yours; then: annex list
              annex top                       what runs right now
              annex reports                   how extensions ended
              annex doctor                    what this machine offers to sandboxes
              annex attack --policy compute            what a hostile program will try, tried

            EXIT STATUS
              0   done
              1   the picture was not edited, a try was not held, or this machine makes no sandbox; the reason is printed
              64  the command line is not understood
            """,
        version: version,
        subcommands: [
            RunCommand.self, DoctorCommand.self, AttackCommand.self, PolicyCommand.self, DemoCommand.self,
            BenchCommand.self, ReplayCommand.self, ReportsCommand.self, TopCommand.self, InstallCommand.self,
            RemoveCommand.self, ListCommand.self, EnableCommand.self, DisableCommand.self,
        ])
}
