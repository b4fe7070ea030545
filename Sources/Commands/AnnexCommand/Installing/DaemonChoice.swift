import AnnexEmbedded
import AnnexHost
import AnnexLinux
import ArgumentParser

/// The daemon that a command connects to, and the exit codes for its errors.
package struct DaemonChoice: ParsableArguments {
    @Flag(help: "Use the machine's daemon, even if a daemon of your own listens.")
    var system = false

    @Option(help: ArgumentHelp("Use the daemon that listens on this socket.", valueName: "path"), completion: .file())
    var socket: String?

    @Flag(help: "Print one JSON object instead of text.")
    package var json = false

    package init() {}

    package func validate() throws {
        guard !system || socket == nil else {
            throw ValidationError("--system and --socket name two different daemons: give only one of them")
        }
    }

    /// The exit code if no daemon answers.
    static let unavailable = ExitCode(69)
    /// The exit code if the daemon rejects the request.
    static let rejected = ExitCode(1)

    private var path: String? { system ? DaemonPaths.systemSocket : socket }

    /// Sends a request to the daemon. If it fails, prints the error with its remedy and throws the exit code.
    func ask<Answer>(_ work: (AnnexHost) throws(BrokerError) -> Answer) throws -> Answer {
        try reporting { () throws(BrokerError) in try work(AnnexHost.connectAndWait(to: path)) }
    }

    /// Does some work. If it fails, prints the error with its remedy and throws the exit code.
    func reporting<Answer>(_ work: () throws(BrokerError) -> Answer) throws -> Answer {
        do throws(BrokerError) {
            return try work()
        } catch {
            throw report(error)
        }
    }

    /// Sends one request for each word. If the daemon rejects a request, the next requests are still sent.
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
                // The daemon is gone, so further requests would fail too.
                if end == Self.unavailable { break }
            }
        }
        return (answers, end)
    }

    /// A host that is connected to the daemon. If `apps` is not empty, the host has a broker inside this program
    /// instead, and this broker has only these apps.
    func host(ofApps apps: [String]) throws -> AnnexHost {
        guard !apps.isEmpty else { return try ask { host in host } }
        return try reporting { () throws(BrokerError) in try AnnexHost.embedded(apps: apps) }
    }

    /// Checks that --app is not given together with a choice of a daemon.
    func checkAlone(apps: [String]) throws {
        guard apps.isEmpty || (!system && socket == nil) else {
            throw ValidationError("--app uses no daemon: give either --app, or --system or --socket")
        }
    }

    private func report(_ error: BrokerError) -> ExitCode {
        StandardError.print("annex: \(PlainText.shown("\(error)"))")
        return error.code == .unreachable ? Self.unavailable : Self.rejected
    }
}
