// An extension that was written only from `Docs/Design/Channel.md`. Each store, wait and message is a separate step. At
// one of these steps the extension stops or dies. Arguments: the number of the signal that it sends itself, and the
// step.
import AnnexLinux
import Glibc

enum StopsAtAStep {
    static func run() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let signal = Int32(arguments[1]), let last = Int(arguments[2]) else {
            print("usage: stops-at-a-step SIGNAL STEP")
            exit(64)
        }

        let server = try Server(Ring(), Steps(signal: signal, last: last))
        try server.run()
    }
}
