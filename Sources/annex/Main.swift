import ArgumentParser
import Logging

/// Where the program begins.
@main
enum Main {
    @MainActor
    static func main() async {
        // What a command has to say it prints itself; the log is for programs that run sandboxes for others.
        LoggingSystem.bootstrap { _ in SwiftLogNoOpLogHandler() }
        // Before Swift's pool has any thread: `annex run` waits for signals on this one, and needs no other.
        if CommandLine.arguments.dropFirst().first == "run" {
            RunCommand.main(Array(CommandLine.arguments.dropFirst(2)))
        } else {
            await Annex.main()
        }
    }
}
