import AnnexLinux
import ArgumentParser
import Glibc
import Logging

/// Where the program begins.
@main
enum Main {
    @MainActor
    static func main() async {
        // Before anything is opened, which would get a closed stream's number.
        _ = StandardStreams.closed
        // Wardens end within this program: an init that takes no ends would keep each as a zombie. A kernel that refuses
        // leaves them to it.
        try? Orphans.adopt()
        // What a command has to say it prints itself; the log is for programs that run sandboxes for others.
        LoggingSystem.bootstrap { _ in SwiftLogNoOpLogHandler() }
        // Before Swift's pool has any thread: `annex run` waits for signals on this one, and needs no other.
        if CommandLine.arguments.dropFirst().first == "run" {
            let arguments = Array(CommandLine.arguments.dropFirst(2))
            if let options = RunOptions(plain: arguments) { exit(ProgramRun(options).run()) }
            RunCommand.main(arguments)
        } else {
            await Annex.main()
        }
    }
}
