internal import AnnexLaunch
internal import AnnexLinux
internal import AnnexSandbox
internal import Glibc

/// Tries whether the agent of background transfers can start on this machine.
package enum TransferAgentTrial {
    /// The longest time that the trial may take. It normally takes milliseconds.
    private static let patience = Duration.seconds(60)
    /// The status of a program whose libraries the loader does not find.
    private static let lacksLibrary: Int32 = 127

    /// Starts the agent in its sandbox, without a job and without a connection, so that it ends at once.
    /// - Returns: why the agent cannot work; nil if it can.
    package static func failure(of program: String) -> AgentStartFailure? {
        // SAFETY: the call reads one text.
        guard unsafe access(program, X_OK) == 0 else {
            return AgentStartFailure(
                cause: "\(program): \(Errno.name(errno))",
                remedy: "install it there (make install), or name it by annexd --transfer-program PATH")
        }
        do throws(AgentStartFailure) {
            return try judge(run(program))
        } catch {
            return error
        }
    }

    private static func run(_ program: String) throws(AgentStartFailure) -> SandboxRunReport? {
        let end = Outcome<SandboxRunReport>()
        let agent = SandboxedTransferAgent(
            launcher: try launcher(), program: program, authorities: nil, named: NamedAddresses())
        let run = try agent.run(try closedConnection()) { report in
            end.record(report)
            end.finish()
        }
        let report = end.wait(atMost: patience)
        if report == nil { run.stop() }
        return report
    }

    private static func launcher() throws(AgentStartFailure) -> Launcher {
        do throws(SandboxError) {
            return try Launcher.shared(waiving: [])
        } catch {
            throw AgentStartFailure(cause: "\(error.step): \(error.cause)", remedy: error.remedy)
        }
    }

    /// The agent's end of a connection whose other end is closed.
    private static func closedConnection() throws(AgentStartFailure) -> Descriptor {
        do throws(SystemError) {
            return try ControlSocketPair().peer.descriptor.duplicate()
        } catch {
            throw AgentStartFailure(cause: error.cause, remedy: error.remedy)
        }
    }

    private static func judge(_ report: SandboxRunReport?) -> AgentStartFailure? {
        guard let report else { return AgentStartFailure(cause: "no end within \(patience)", remedy: nil) }
        switch report.exitCode {
        case 0?: return nil
        case lacksLibrary?:
            return AgentStartFailure(
                cause: "the loader does not find a library of the program",
                remedy: "install libcurl (apt-get install libcurl4); `ldd` names the missing library")
        default: return AgentStartFailure(cause: "\(report.reason): \(report.detail)", remedy: report.remedy)
        }
    }

    /// The places where distributions keep the authorities that vouch for servers.
    package static let authorities = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/ssl/cert.pem", "/etc/pki/tls/certs/ca-bundle.crt",
    ]

    /// The first file with authorities that this program can read; nil if there is none.
    package static var readableAuthorities: String? {
        // SAFETY: the call reads one text.
        authorities.first { unsafe access($0, R_OK) == 0 }
    }
}
