import AnnexLinux
import ArgumentParser
import Glibc
import Logging

/// The program `annex`.
///
/// It starts nothing that the command does not need. A command that awaits starts Swift's threads; every other command has
/// only the first thread.
package enum AnnexProgram {
    /// Reads the command line, performs the command, and ends the process or returns when it is done.
    package static func main() {
        // Before anything is opened, which would get a closed stream's number.
        _ = StandardStreams.closed
        // Wardens end within this program: an init that takes no ends would keep each as a zombie. A kernel that refuses
        // leaves them to it.
        try? Orphans.adopt()
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch arguments.first {
        case "--version" where arguments.count == 1: print(Annex.version)
        case "run": run(Array(arguments.dropFirst()))
        default: perform(arguments)
        }
    }

    /// Waits for signals on this thread, which must be the only one when it begins.
    private static func run(_ arguments: [String]) {
        keepLogSilent()
        guard let options = RunOptions(plain: arguments) else { return RunCommand.main(arguments) }
        exit(ProgramRun(options).run())
    }

    /// A command prints all that it has to say. The log is for programs that run sandboxes for others.
    private static func keepLogSilent() {
        LoggingSystem.bootstrap { _ in SwiftLogNoOpLogHandler() }
    }

    private static func perform(_ arguments: [String]) {
        keepLogSilent()
        do {
            var command = try Annex.parseAsRoot(arguments)
            if command is any AsyncParsableCommand { performAwaiting(arguments) }
            try command.run()
        } catch {
            Annex.exit(withError: error)
        }
    }

    /// The command is made where it runs, on a thread of Swift's pool, and ends the program. Signals come to this thread.
    private static func performAwaiting(_ arguments: [String]) -> Never {
        Task {
            await Annex.main(arguments)
            Annex.exit()
        }
        while true { pause() }
    }
}
