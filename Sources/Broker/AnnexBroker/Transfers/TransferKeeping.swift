package import AnnexLinux

/// How a broker keeps the background transfers of its user. Only a daemon keeps transfers, because they outlive hosts.
package struct TransferKeeping: Sendable {
    /// The folder of the book, which belongs to the user of this process.
    package var folder: String
    /// The program that moves the bytes: `annex-transfer`.
    package var program: String
    /// A file with the certificates of the authorities that vouch for servers; nil for those of the system.
    package var authorities: String?
    /// Starts the program; nil to start it in a sandbox. Tests give a starter of their own.
    package var starter: (any TransferAgentStarter)?

    package init(in folder: String, program: String) {
        self.folder = folder
        self.program = program
    }
}

/// Starts the agent, the program that moves the bytes.
package protocol TransferAgentStarter: Sendable {
    /// - Parameters:
    ///   - socket: the agent's end of the connection, its descriptor 3.
    ///   - onEnd: called once when the agent has ended, with the reason. It is not called if the start fails.
    func start(
        _ socket: consuming Descriptor, onEnd: @escaping @Sendable (String) -> Void
    ) throws(AgentStartFailure) -> any RunningTransferAgent
}

/// A running agent.
package protocol RunningTransferAgent: Sendable {
    /// Ends the agent, even if it does not react.
    func end()
}

/// Why the agent could not be started.
package struct AgentStartFailure: Error {
    package let cause: String
    package let remedy: String?

    package init(cause: String, remedy: String?) {
        self.cause = cause
        self.remedy = remedy
    }
}
