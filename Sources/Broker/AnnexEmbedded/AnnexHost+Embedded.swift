internal import AnnexBroker
public import AnnexBrokerAPI
public import AnnexHost

extension AnnexHost {
    /// A host that carries its broker: nothing to install, nothing to start.
    ///
    /// Starts the warden, a small process of its own that builds sandboxes and ends them with this one. The program
    /// sees no SIGCHLD, no result of its `wait` and no signal handler of it.
    ///
    /// - Parameters:
    ///   - apps: bundles to install at once, `Name.app` each; more by `install(app:)`.
    ///   - waiving: layers that this host does without where the machine cannot give them; each is tried once, now. A
    ///     layer that the machine has is always used, one that it lacks and that is not named here fails every launch
    ///     with its cause and remedy. The launch report lists what is missing.
    ///   - instances: how many extensions under one policy may run at once, where this host wants another number than
    ///     the policies' own; one more waits for a place.
    ///   - reports: where a report on each end is kept; `annex reports` shows those of the standard place.
    /// - Throws: a `BrokerError` that names the file and key of a bundle that breaks a rule, or the step and remedy where
    ///   this machine cannot make sandboxes.
    public static func embedded(
        apps: [String] = [], waiving: Set<DispensableLayer> = [], instances: Int? = nil,
        reports: ReportPlace = .standard
    ) throws(BrokerError) -> AnnexHost {
        try embedded(apps: apps, waiving: waiving, instances: instances, patience: .zero, reports: reports)
    }

    /// The same for a machine that may be busy with anything.
    /// - Parameters:
    ///   - patience: no extension is ended by the clock alone before this, whatever its policy says.
    ///   - holdsBack: whether extensions that fail again and again have to pause before they start once more.
    package static func embedded(
        apps: [String] = [], waiving: Set<DispensableLayer> = [], instances: Int? = nil, patience: Duration,
        holdsBack: Bool = true, reports: ReportPlace = .nowhere
    ) throws(BrokerError) -> AnnexHost {
        var wishes = BrokerConfiguration()
        wishes.instances = instances
        wishes.patience = patience
        wishes.holdsBack = holdsBack
        wishes.reports = reports
        let host = AnnexHost(service: try Broker(waiving: waiving, wishes))
        for app in apps { try host.install(app: app) }
        return host
    }
}
