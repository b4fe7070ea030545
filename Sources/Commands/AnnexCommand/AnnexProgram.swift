import AnnexLinux
import AnnexModel
import AnnexPolicy
import ArgumentParser
internal import CAnnexCommand
import Glibc
import Logging

/// The program `annex`.
///
/// The program starts only what the command needs. Swift's threads start only for commands that await. All other
/// commands use only the first thread.
package enum AnnexProgram {
    /// Reads the command line and performs the command. Then ends the process, or returns.
    package static func main() {
        // The closed standard streams are replaced before any file is opened. Otherwise a new file would get the number
        // of such a stream.
        _ = StandardStreams.closed
        // Wardens become children of this program, and the program reaps them. Some init processes never reap, so each
        // ended warden would stay a zombie. If the kernel refuses this call, ended wardens become children of init.
        try? Orphans.adopt()
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch arguments.first {
        case "--version" where arguments.count == 1: print(BundleVersion.annex)
        case "run": run(Array(arguments.dropFirst()))
        default: perform(arguments)
        }
    }

    /// Runs `annex run`. The command waits for signals on this thread. When the command begins, this thread must be the
    /// only thread.
    private static func run(_ arguments: [String]) {
        keepLogSilent()
        // Starting the parser of arguments takes as long as making the whole sandbox. So it only prints help and mistakes.
        if !RunOptions.askForHelp(arguments), let options = try? RunOptions(arguments) {
            AskedRuns(options).runToTheEnd()
        }
        do {
            // The messages of the parser name the command as it is called: `annex run`.
            var command = try Annex.parseAsRoot(["run"] + arguments)
            try command.run()
        } catch {
            end(with: error)
        }
    }

    /// Ends the program as the parser of arguments would. The parser's message repeats words of the command line, and a
    /// shell may have put the names of files there. So the message is printed by `StandardError`, which escapes it.
    private static func end(with error: any Error) -> Never {
        let code = Annex.exitCode(for: error)
        // A help text repeats no words of the command line.
        if code.isSuccess { Annex.exit(withError: error) }
        let message = Annex.fullMessage(for: error)
        if !message.isEmpty { StandardError.print(message) }
        exit(code.rawValue)
    }

    /// A command prints its own messages, so it needs no log. The log is for programs that run sandboxes for other
    /// programs.
    private static func keepLogSilent() {
        LoggingSystem.bootstrap { _ in SwiftLogNoOpLogHandler() }
    }

    private static func perform(_ arguments: [String]) {
        keepLogSilent()
        rejectUnknownCommand(arguments.first ?? "")
        do {
            var command = try Annex.parseAsRoot(arguments)
            if command is any AsyncParsableCommand { performAwaiting(arguments) }
            try command.run()
        } catch {
            end(with: error)
        }
    }

    /// Ends the program if the first word is no command but resembles one. ArgumentParser names the nearest option for a
    /// misspelt option, but no command for a misspelt command.
    private static func rejectUnknownCommand(_ word: String) {
        let known = Annex.configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"]
        guard !word.hasPrefix("-"), !known.contains(word), let near = NearestName.of(word, among: known) else { return }
        StandardError.print("annex: unknown command \(Escaped(word)); did you mean \(near)? annex --help lists all")
        exit(64)
    }

    /// Creates and runs the command on a thread of Swift's pool, and then ends the program. Meanwhile the first thread
    /// waits and receives the signals.
    private static func performAwaiting(_ arguments: [String]) -> Never {
        Task {
            do {
                var command = try Annex.parseAsRoot(arguments)
                if var awaiting = command as? any AsyncParsableCommand {
                    try await awaiting.run()
                } else {
                    try command.run()
                }
                await SignalledExit.giveWay()
            } catch {
                await SignalledExit.giveWay()
                end(with: error)
            }
            Annex.exit()
        }
        while true { pause() }
    }
}

/// The state of descriptors 0, 1 and 2. It is examined before any file is opened.
enum StandardStreams {
    /// The standard streams that were closed when the process began. `/dev/null` replaces them, so that no other file
    /// gets their numbers.
    static let closed: Set<Int32> = {
        var closed: Set<Int32> = []
        for number in STDIN_FILENO...STDERR_FILENO where fcntl(number, F_GETFD) < 0 {
            closed.insert(number)
            // This call opens the lowest free number. That is `number`, because all lower numbers are open now.
            _ = open("/dev/null", O_RDWR)
        }
        return closed
    }()
}

struct Annex: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "annex",
        abstract: "App extensions for Linux: untrusted code performs one task for a program, in a sandbox.",
        discussion: """
            EXAMPLES
              annex run -- python3 -c 'print(2 + 2)'   run a program in a sandbox
              annex doctor                             show which sandbox features this machine has
              annex demo                               edit a picture with untrusted code, then attack the sandbox
              annex demo holiday.jpg                   the same with your picture; the result is written beside it
              annex demo --json                        the same, with every figure as JSON
              annex policy explain compute ptrace      show whether a policy allows a call, and by which line
              annex point list                         list the extension points
              annex attack --policy compute            run the attacks of the catalogue against a policy
              annex bundle Layout --programs bin --out Pictures.app    make an app of built programs
              annex validate Pictures.app              show every fault of an app before you ship it
              annex install Pictures.app               install an app with annexd for all your hosts; then: annex list
              annex request ID --file holiday.jpg      send one request to an extension, and store its answer
              annex share holiday.jpg sea.jpg          pick an extension from the share sheet, and hand it your files
              annex sign Pictures.app                  sign an app with your team's key, which annex key new makes
              annex top                                show which extensions run now
              annex reports                            show how extensions ended

            EXIT STATUS
              0   done
              1   a failure or a negative result; the help of each command lists all its exit statuses
              64  the command line is not understood
            """,
        version: BundleVersion.annex.text,
        subcommands: [
            RunCommand.self, DoctorCommand.self, AttackCommand.self, PolicyCommand.self, PointCommand.self,
            DemoCommand.self, BenchCommand.self, ReplayCommand.self, ReportsCommand.self, TopCommand.self,
            InstallCommand.self, RemoveCommand.self, ListCommand.self, EnableCommand.self, DisableCommand.self,
            PinCommand.self, UnpinCommand.self, GrantCommand.self, RevokeCommand.self, RequestCommand.self,
            ShareCommand.self, TodayCommand.self, OpenCommand.self, GroupCommand.self, TransferCommand.self,
            BundleCommand.self, ValidateCommand.self, KeyCommand.self, SignCommand.self,
        ])
}
