internal import AnnexCommand
internal import AnnexHost
internal import AnnexLinux
internal import AnnexPolicy
internal import AnnexToday
public import AnnexTodayPage
internal import ArgumentParser
internal import Glibc

/// A server that answers browsers of this machine by HTTP. The program `annex-today` has one.
public protocol PageServer: Sendable {
    /// Listens only at the loopback address.
    /// - Parameters:
    ///   - port: the port. 0 stands for any free port.
    ///   - page: the page that answers all requests.
    init(port: Int, page: TodayPage) async throws

    /// The port at which the page is served.
    var port: Int { get }

    /// Connects to the page to test whether the server would let a browser in.
    func checkGate() async throws

    /// Closes the port and all connections.
    func close() async
}

/// The program `annex-today`, apart from its server.
public enum AnnexTodayProgram {
    /// Reads the command line of this process, and serves the page until a signal ends the program.
    public static func main<Server: PageServer>(servedBy server: Server.Type) async {
        await TodayPageCommand<Server>.main()
    }

    /// Whether a connection between two ports of 127.0.0.1 comes from a program of this program's own user.
    /// - Parameters:
    ///   - port: the port of the program that connects.
    ///   - target: the port that it connects to.
    public static func isOwnUser(from port: Int, to target: Int) throws -> Bool {
        let user = try LoopbackPeer.user(
            from: UInt16(truncatingIfNeeded: port), to: UInt16(truncatingIfNeeded: target))
        return user == geteuid()
    }

    /// The error of a server whose own connection is not known to the kernel as one of its user.
    public static var blindGate: any Error {
        SystemError("sock_diag", errno: ENOENT, remedy: "load the kernel's module tcp_diag: modprobe tcp_diag")
    }
}

/// Shows the Today view as a page in the browser.
struct TodayPageCommand<Server: PageServer>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "annex-today",
            abstract: "Show the widgets of the Today view as a page in the browser.",
            discussion: """
                The page is served to this machine alone, and its address has a random token that is the key to it. It shows \
                what annex today shows in a terminal, and follows changes. It needs no script: without one, reload it.

                EXAMPLES
                  annex-today                                  print the address; open it in a browser
                  annex-today --app ToDoList.app               with a broker of its own, without a daemon
                  annex-today --port 8420                      at the same port each time

                FILES
                  ~/.local/state/annex/today    the last content of each widget, and their order; for root \
                /var/lib/annex/today. ANNEX_TODAY names another folder

                EXIT STATUS
                  0   ended by a signal
                  1   the port is in use, or the broker rejects the request; the reason is printed
                  64  the command line is not understood
                  69  no daemon answers
                """)
    }

    @Option(help: "The port to serve the page at; 0 for any free one.")
    var port = 0

    @OptionGroup var choice: TodayChoice

    @OptionGroup var daemon: DaemonChoice

    /// How long the widgets may take to end after a signal.
    private static var farewell: Duration { .seconds(1) }

    func validate() throws {
        try choice.check(with: daemon)
        guard (0...65_535).contains(port) else { throw ValidationError("--port \(port) is not between 0 and 65535") }
    }

    func run() async throws {
        let view = try choice.view(through: daemon).view
        let ended = try Self.whenSignalled()
        let token = PageGuard.newToken()
        let page = TodayPage(of: view, as: choice.surface, guarding: PageGuard(token: token))
        let server = try await server(of: page)
        tell("http://127.0.0.1:\(server.port)/\(token)/")
        let showing = Task { () -> Result<Void, BrokerError> in
            defer { ended.continuation.finish() }
            do throws(BrokerError) {
                return .success(try await page.run())
            } catch {
                return .failure(error)
            }
        }
        for await _ in ended.stream {}
        await view.close(within: Self.farewell)
        let result = await showing.value
        await server.close()
        if case .failure(let error) = result {
            StandardError.print("annex-today: \(error)")
            throw ExitCode(1)
        }
    }

    private func server(of page: TodayPage) async throws -> Server {
        let server: Server
        do {
            server = try await Server(port: port, page: page)
        } catch {
            StandardError.print("annex-today: port \(port) cannot be used: \(error); name another one with --port")
            throw ExitCode(1)
        }
        do {
            try await server.checkGate()
            return server
        } catch {
            StandardError.print("annex-today: no browser could be let in: \(error)")
            throw ExitCode(1)
        }
    }

    private func tell(_ address: String) {
        print(daemon.json ? JSON.object([.init("address", value: .text(address))]).line : address)
        // Another program may wait for the address, so it is written at once.
        fflush(nil)
    }

    /// A stream that ends when the first signal arrives that asks the program to end.
    private static func whenSignalled() throws -> (
        stream: AsyncStream<Void>, continuation: AsyncStream<Void>.Continuation
    ) {
        let ended = AsyncStream.makeStream(of: Void.self)
        // The thread releases the pipe after the first signal. So a second signal ends the program at once.
        let signals = try SignalPipe([SIGTERM, SIGINT, SIGHUP])
        _ = try WorkerThread("annex-signals") {
            _ = signals.wait()
            ended.continuation.finish()
        }
        return ended
    }
}
