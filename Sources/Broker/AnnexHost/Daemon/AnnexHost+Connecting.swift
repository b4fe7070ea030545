public import AnnexBrokerAPI
internal import Dispatch

extension AnnexHost {
    /// Connects to `annexd`, and returns a host whose broker is that daemon. The host's apps are the apps that this
    /// user has installed with the daemon. The apps stay installed when the host ends.
    ///
    /// After this call, the host is used in the same way as a host that has its own broker. When the daemon ends, its
    /// extensions end with the reason `brokerShutdown`, and every later call throws. In that case, connect again. If
    /// the daemon is only restarting, this call waits for the daemon.
    ///
    /// - Parameter path: the daemon's socket. If it is nil, the host first tries
    ///   `$XDG_RUNTIME_DIR/annex/annexd.socket`, then `/run/annex/annexd.socket`.
    /// - Throws: a `BrokerError`. Its code is `unreachable` if no daemon answers within 30 seconds, or if the daemon
    ///   belongs to another user. The code is `overQuota` if this user has reached the limit of connections.
    public nonisolated(nonsending) static func connect(to path: String? = nil) async throws(BrokerError) -> AnnexHost {
        try await connect(to: path, patience: .seconds(30))
    }

    /// Does the same as the public `connect(to:)`, with another time limit, for machines that may be under heavy load.
    /// - Parameter patience: how long to wait for each answer.
    package nonisolated(nonsending) static func connect(
        to path: String?, patience: Duration
    ) async throws(BrokerError) -> AnnexHost {
        // A busy daemon may keep its clients waiting. The wait blocks a thread of the global queue, but does not
        // block a thread that runs tasks.
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

    /// Does the same as `connect`, for code without Swift concurrency. The call blocks the thread until the daemon has
    /// answered.
    public static func connectAndWait(to path: String? = nil) throws(BrokerError) -> AnnexHost {
        try connectAndWait(to: path, patience: .seconds(30))
    }

    /// Does the same as the public `connectAndWait(to:)`, with another time limit, for machines under heavy load.
    /// - Parameter patience: how long to wait for each answer.
    package static func connectAndWait(to path: String?, patience: Duration) throws(BrokerError) -> AnnexHost {
        try connectAndWait(toFirstOf: path.map { [$0] } ?? DaemonPaths.sockets, patience: patience)
    }

    /// Does the same as `connectAndWait(to:)`, for several sockets. It uses the first socket at which a daemon listens.
    package static func connectAndWait(toFirstOf places: [String], patience: Duration) throws(BrokerError) -> AnnexHost
    {
        AnnexHost(service: try DaemonService(connectingTo: places, patience: patience))
    }
}
