public import AnnexBrokerAPI
internal import Dispatch

extension AnnexHost {
    /// A host whose broker is `annexd`: its apps are those that this user has installed with the daemon, and stay so.
    ///
    /// The only line that differs from a host with a broker of its own. When the daemon goes, its extensions end as
    /// `brokerShutdown`, and every later call throws; connect again then. One that only starts anew is waited for.
    ///
    /// - Parameter path: the daemon's socket; nil: `$XDG_RUNTIME_DIR/annex/annexd.socket` where somebody listens, else
    ///   `/run/annex/annexd.socket`.
    /// - Throws: a `BrokerError` of code `unreachable` if no daemon answers within 30 seconds or it is another user's,
    ///   `overQuota` if this user has as many connections as one may have.
    public nonisolated(nonsending) static func connect(to path: String? = nil) async throws(BrokerError) -> AnnexHost {
        try await connect(to: path, patience: .seconds(30))
    }

    /// The same for a machine that may be busy with anything.
    /// - Parameter patience: how long to wait for each answer.
    package nonisolated(nonsending) static func connect(
        to path: String?, patience: Duration
    ) async throws(BrokerError) -> AnnexHost {
        // A daemon that is busy may let its clients wait: that holds up a thread of this queue, no task's.
        let connected: Result<AnnexHost, BrokerError> = await withCheckedContinuation { task in
            DispatchQueue.global().async {
                task.resume(
                    returning: Result { () throws(BrokerError) in
                        try connectAndWait(to: path, patience: patience)
                    })
            }
        }
        return try connected.get()
    }

    /// The same for code without Swift concurrency: blocks the thread until the daemon has answered.
    public static func connectAndWait(to path: String? = nil) throws(BrokerError) -> AnnexHost {
        try connectAndWait(to: path, patience: .seconds(30))
    }

    /// The same for a machine that may be busy with anything.
    /// - Parameter patience: how long to wait for each answer.
    package static func connectAndWait(to path: String?, patience: Duration) throws(BrokerError) -> AnnexHost {
        try connectAndWait(toFirstOf: path.map { [$0] } ?? DaemonPlace.sockets, patience: patience)
    }

    /// The same for the first of several sockets at which a daemon listens.
    package static func connectAndWait(toFirstOf places: [String], patience: Duration) throws(BrokerError) -> AnnexHost
    {
        AnnexHost(service: try DaemonService(connectingTo: places, patience: patience))
    }
}
