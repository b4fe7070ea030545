internal import AnnexLinux
internal import AnnexTransferWire
internal import Glibc

/// The program `annex-transfer`, apart from its HTTP library. It moves the bytes of background transfers.
///
/// A broker starts the program with one end of a connection as descriptor 3, and gives it jobs over this connection. The
/// program ends when the connection ends. It opens no file for a job: each job brings its files as open descriptors.
public enum AnnexTransferProgram {
    private static let connection: CInt = 3

    private static let help = """
        annex-transfer moves the bytes of background transfers. annexd starts it; it has no use by itself.

        USAGE: annex-transfer

        The variable SSL_CERT_FILE can name a file with the certificates of the authorities that vouch for servers, in PEM
        form. Without it, the authorities are those of this system.

        """

    /// Runs the program with this HTTP library.
    public static func main<Engine: HTTPEngine>(exchangingBy _: Engine.Type) -> Never {
        // A server that closes its connection must not end the program.
        _ = signal(SIGPIPE, SIG_IGN)
        answerArguments()
        let control = Descriptor(owning: connection)
        guard LocalSocket.isControl(control) else {
            fail("descriptor 3 is no connection to a broker; annexd starts this program", status: EX_USAGE)
        }
        do throws(SystemError) { try control.stopBlocking() } catch { fail("\(error)", status: EX_OSERR) }
        let engine: Engine
        do throws(EngineFailure) { engine = try Engine(authorities: authorities) } catch {
            fail(error.text, status: EX_SOFTWARE)
        }
        do throws(AgentFailure) {
            try TransferAgent(TransferAgentSocket(owning: control), engine: engine).run()
        } catch {
            fail("\(error)", status: EX_PROTOCOL)
        }
        exit(0)
    }

    /// Handles arguments, which only a person gives. In the agent's sandbox the runtime finds none, because it looks for
    /// them in `/proc`. So everything that the broker sets is a variable.
    private static func answerArguments() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard !arguments.isEmpty else { return }
        guard arguments == ["--help"] else {
            fail("unknown arguments; `annex-transfer --help` says what the program is for", status: EX_USAGE)
        }
        print(help, terminator: "")
        exit(0)
    }

    private static var authorities: String? {
        guard let file = unsafe getenv("SSL_CERT_FILE") else { return nil }
        return unsafe String(validatingCString: file)
    }

    private static func fail(_ text: String, status: CInt) -> Never {
        _ = try? Descriptor(owning: STDERR_FILENO).writeAll(Array("annex-transfer: \(text)\n".utf8))
        exit(status)
    }
}
