internal import AnnexBroker
public import AnnexHost
public import AnnexService

extension AnnexHost {
    /// A host that carries its broker: nothing to install, nothing to start.
    ///
    /// Starts the warden, a small process of its own that builds sandboxes and ends them with this one. The program
    /// sees no SIGCHLD, no result of its `wait` and no signal handler of it.
    ///
    /// - Parameter apps: bundles to install at once, `Name.app` each; more by `install(app:)`.
    /// - Throws: a `ServiceError` that names the file and key of a bundle that breaks a rule, or the step and cure where
    ///   this machine cannot make sandboxes.
    public static func embedded(apps: [String] = []) throws(ServiceError) -> AnnexHost {
        let host = AnnexHost(service: try Broker())
        for app in apps { try host.install(app: app) }
        return host
    }
}
