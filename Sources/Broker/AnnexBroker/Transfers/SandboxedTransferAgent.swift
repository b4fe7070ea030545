internal import AnnexLaunch
internal import AnnexLinux
internal import AnnexPolicy
internal import AnnexSandbox
internal import AnnexShippedPolicies

/// Starts the agent in a sandbox. The agent sees the libraries of the system read-only, and connects to other machines
/// only. It gets the files of its jobs as descriptors. All other programs, extensions too, get processors and disks first.
struct SandboxedTransferAgent: TransferAgentStarter {
    let launcher: Launcher
    let program: String
    let authorities: String?
    /// The addresses to which the agent may connect.
    let named: NamedAddresses

    private static let policy = JoinedName(policy: "transfer", fragments: ["com.apple.security.network.client"]).joined
    private static let connection: Int32 = 3

    func start(
        _ socket: consuming Descriptor, onEnd: @escaping @Sendable (String) -> Void
    ) throws(AgentStartFailure) -> any RunningTransferAgent {
        Running(run: try run(socket) { report in onEnd("\(report.reason): \(report.detail)") })
    }

    /// Starts the agent with its end of a connection.
    func run(
        _ socket: consuming Descriptor, then done: @escaping @Sendable (SandboxRunReport) -> Void
    ) throws(AgentStartFailure) -> SandboxRun {
        let prepared = try prepared()
        let policy = prepared.policy
        var configuration = prepared.takeConfiguration()
        configuration.give(socket, as: Self.connection)
        configuration.yields = true
        configuration.connections = { [named] in named.include($0) }
        let run = SandboxRun(launcher, policy: policy, program: [program]) { event in
            if case .ended(let report, _) = event { done(report) }
        }
        run.begin(configuration)
        return run
    }

    private func prepared() throws(AgentStartFailure) -> PreparedProgram {
        let policy: Policy
        do throws(PolicyError) {
            policy = try Policy.compiledAhead(named: Self.policy)
        } catch {
            throw AgentStartFailure(cause: "\(error)", remedy: nil)
        }
        var words = SandboxProgram(program)
        if let authorities {
            words.read(authorities)
            words.environment["SSL_CERT_FILE"] = authorities
        }
        do throws(SandboxError) {
            return try Sandbox(policy: policy).prepare(words, streams: DescriptorList())
        } catch {
            throw AgentStartFailure(
                cause: "\(error.cause)",
                remedy: error.remedy ?? "install annex-transfer beside annexd")
        }
    }

    private struct Running: RunningTransferAgent {
        let run: SandboxRun

        func end() { run.stop() }
    }
}
