public import AnnexService

extension AnnexHost {
    /// A host whose broker is `annexd`: its apps are those that this user has installed with the daemon, and stay so.
    ///
    /// The only line that differs from a host with a broker of its own. When the daemon goes, its extensions end as
    /// `brokerShutdown`, and every later call throws; connect again then. One that only starts anew is waited for.
    ///
    /// - Parameter path: the daemon's socket; nil: `$XDG_RUNTIME_DIR/annex/annexd.socket` where there is one, else
    ///   `/run/annex/annexd.socket`.
    /// - Throws: a `ServiceError` of code `unreachable` where no daemon answers within 30 seconds or it is another
    ///   user's, `overQuota` where this user has as many connections as one may have.
    public static func connect(to path: String? = nil) throws(ServiceError) -> AnnexHost {
        try connect(to: path, patience: .seconds(30))
    }

    /// The same for a machine that may be busy with anything.
    /// - Parameter patience: how long to wait for each answer.
    package static func connect(to path: String?, patience: Duration) throws(ServiceError) -> AnnexHost {
        AnnexHost(service: try DaemonService(connectingTo: path ?? DaemonPlace.socket, patience: patience))
    }
}
