internal import AnnexBroker
public import AnnexBrokerAPI
public import AnnexHost

extension AnnexHost {
    /// Makes a host with a broker in its own process; nothing needs to be installed or started.
    ///
    /// It starts the warden, a small process that builds sandboxes and ends them all when this process ends. The warden
    /// does not affect the program: it causes no SIGCHLD and no result of `wait`, and it needs no signal handler.
    ///
    /// - Parameters:
    ///   - apps: bundles to install at once, each a path to `Name.app`. `install(app:)` installs more later.
    ///   - points: a directory of extension points of the host's own, beside the built-in ones: one file
    ///     `IDENTIFIER.yaml` for each. `Docs/Guide/Points.md` explains the files.
    ///   - policies: a directory of policies of the host's own, which its points may name. Each replaces the shipped
    ///     policy of the same name. Both directories are read by this call only. They and their files must belong to
    ///     root or to this user, and must not be writable for every user.
    ///   - waiving: layers that this host does without if the machine cannot provide them. Each is tried once, by this
    ///     call. A layer that the machine provides is always used. A missing layer that is not named here fails every
    ///     launch with its cause and remedy. The launch report lists the missing layers.
    ///   - instances: how many extensions may run at once for one extension point; nil for the points' own limits. A
    ///     further launch waits for a slot.
    ///   - reports: where the report on each end is kept; `annex reports` shows those of the standard place.
    ///   - privateDirectories: where private directories are kept. An extension finds the same directory at each launch,
    ///     also after an update of its app. `remove(app:)` removes the directories of its extensions. The end of the host
    ///     does not.
    /// - Throws: a `BrokerError`. It names the file and key if a bundle breaks a rule, the file and line if a point or
    ///   a policy is wrong, or the failed step and the remedy if this machine cannot make sandboxes.
    public static func embedded(
        apps: [String] = [], points: String? = nil, policies: String? = nil, waiving: Set<DispensableLayer> = [],
        instances: Int? = nil, reports: ReportPlace = .standard, privateDirectories: PrivatePlace = .standard
    ) throws(BrokerError) -> AnnexHost {
        try embedded(
            apps: apps, points: points, policies: policies, waiving: waiving, instances: instances, patience: .zero,
            reports: reports, keeping: privateDirectories)
    }

    /// The same with further settings, for machines that may be under heavy load.
    /// - Parameters:
    ///   - patience: the shortest limit for a launch, a request and the watchdog. Shorter limits of a policy are raised
    ///     to it.
    ///   - holdsBack: whether an extension that fails again and again must pause before its next launch.
    ///   - place: where private directories are kept; nil if none are.
    package static func embedded(
        apps: [String] = [], points: String? = nil, policies: String? = nil, waiving: Set<DispensableLayer> = [],
        instances: Int? = nil, patience: Duration, holdsBack: Bool = true, reports: ReportPlace = .nowhere,
        keeping place: PrivatePlace? = nil
    ) throws(BrokerError) -> AnnexHost {
        var wishes = BrokerConfiguration()
        try wishes.read(points: points, policies: policies)
        wishes.instances = instances
        wishes.patience = patience
        wishes.holdsBack = holdsBack
        wishes.reports = reports
        wishes.privateDirectories = place
        let host = AnnexHost(service: try Broker(waiving: waiving, wishes))
        for app in apps { try host.install(app: app) }
        return host
    }
}
