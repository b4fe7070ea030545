package import AnnexBroker

/// How a daemon is run.
package struct DaemonOptions: Sendable {
    /// The folder of what is installed; made where it is missing.
    package var state: String
    /// Whether it serves every user of the machine, each with a broker and a store of his own; else its own user alone.
    package var isSystem: Bool
    package var limits = DaemonLimits()
    /// What its brokers do otherwise than the policies say.
    package var wishes = BrokerConfiguration()

    /// Where a user's apps lie.
    func store(of user: UInt32) -> String { isSystem ? "\(state)/apps/\(user)" : "\(state)/apps" }

    /// Where the machine's daemon keeps a user's reports, so that nobody's ends push out another's.
    func reports(of user: UInt32) -> String { "\(state)/reports-of/\(user)" }

    package init(state: String, isSystem: Bool) {
        self.state = state
        self.isSystem = isSystem
    }
}
