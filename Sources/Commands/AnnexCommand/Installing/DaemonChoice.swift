import AnnexHost
import AnnexLinux
import ArgumentParser

/// Which daemon a command speaks to, and how it says what came of it.
struct DaemonChoice: ParsableArguments {
    @Flag(help: "The machine's daemon, also where one of your own listens.")
    var system = false

    @Option(help: ArgumentHelp("The daemon that listens there.", valueName: "path"), completion: .file())
    var socket: String?

    @Flag(help: "Print one JSON object instead of text.")
    var json = false

    func validate() throws {
        guard !system || socket == nil else { throw ValidationError("--system and --socket name two daemons") }
    }

    /// Where no daemon answers.
    static let unavailable = ExitCode(69)
    /// Where a daemon refuses what it is asked for.
    static let refused = ExitCode(1)

    private var path: String? { system ? DaemonPlace.systemSocket : socket }

    /// Asks a daemon. A refusal is printed, with the remedy, and is the command's end.
    func ask<Answer>(_ work: (AnnexHost) throws(BrokerError) -> Answer) throws -> Answer {
        do throws(BrokerError) {
            return try work(AnnexHost.connectAndWait(to: path))
        } catch {
            throw report(error)
        }
    }

    /// Asks for each of several things, whatever came of those before it.
    func ask<Answer>(
        about words: [String], _ work: (AnnexHost, String) throws(BrokerError) -> Answer
    ) throws -> (answers: [Answer], end: ExitCode?) {
        let host = try ask { host in host }
        var answers: [Answer] = []
        var end: ExitCode?
        for word in words {
            do throws(BrokerError) {
                answers.append(try work(host, word))
            } catch {
                end = report(error)
                // Nobody is there any more to be asked for the rest.
                if end == Self.unavailable { break }
            }
        }
        return (answers, end)
    }

    private func report(_ error: BrokerError) -> ExitCode {
        StandardError.print("annex: \(PlainText.shown("\(error)"))")
        return error.code == .unreachable ? Self.unavailable : Self.refused
    }
}
