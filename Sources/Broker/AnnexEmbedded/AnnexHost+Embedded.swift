internal import AnnexBroker
public import AnnexBrokerAPI
public import AnnexHost

extension AnnexHost {
    /// Makes a host with a broker in its own process. No daemon needs to be installed or started.
    ///
    /// This function starts the warden, a small process that builds sandboxes. When this process ends, the warden ends
    /// all sandboxes that it built. The warden does not affect the program: it causes no SIGCHLD and no result of
    /// `wait`, and it needs no signal handler.
    ///
    /// - Parameters:
    ///   - apps: bundles that this call installs. Each is a path to `Name.app`. `install(app:)` installs more bundles
    ///     later.
    ///   - points: a directory of the host's own extension points, in addition to the built-in points. It has one file
    ///     `IDENTIFIER.yaml` for each point. `Docs/Guide/Points.md` explains the files.
    ///   - policies: a directory of the host's own policies. The host's points may name them. Each policy replaces the
    ///     shipped policy of the same name. Only this call reads the directories `points` and `policies`. The
    ///     directories and their files must belong to root or to this user, and must not be writable for every user.
    ///   - waiving: layers that this host works without if the machine cannot provide them. This call tries each layer
    ///     once. A layer that the machine provides is always used. If a missing layer is not named here, every launch
    ///     fails, and the error states cause and remedy. The launch report lists the missing layers.
    ///   - instances: how many extensions may run at once for one extension point. If it is nil, the points' own limits
    ///     apply. A further launch waits for a slot.
    ///   - reports: where the broker keeps its report on the end of each extension. `annex reports` shows the reports
    ///     of the standard folder.
    ///   - privateDirectories: where private directories are kept. An extension finds the same directory at each
    ///     launch, also after an update of its app. `remove(app:)` removes the directories of the app's extensions. The
    ///     end of the host does not remove any directory.
    /// - Throws: a `BrokerError`. If a bundle breaks a rule, the error names the file and key. If a point or a policy
    ///   is wrong, the error names the file and line. If this machine cannot make sandboxes, the error names the failed
    ///   step and the remedy.
    public static func embedded(
        apps: [String] = [], points: String? = nil, policies: String? = nil, waiving: Set<DispensableLayer> = [],
        instances: Int? = nil, reports: ReportLocation = .standard, privateDirectories: PrivateLocation = .standard
    ) throws(BrokerError) -> AnnexHost {
        try embedded(
            apps: apps, points: points, policies: policies, waiving: waiving, instances: instances, patience: .zero,
            reports: reports, keeping: privateDirectories)
    }

    /// Does the same as the public `embedded`, with further settings, for machines that may be under heavy load.
    /// - Parameters:
    ///   - patience: the shortest limit for a launch, a request and the watchdog. If a policy has a shorter limit, the
    ///     policy's limit is raised to this limit.
    ///   - holdsBack: whether an extension that fails again and again must pause before its next launch.
    ///   - location: where private directories are kept; nil if none are kept.
    package static func embedded(
        apps: [String] = [], points: String? = nil, policies: String? = nil, waiving: Set<DispensableLayer> = [],
        instances: Int? = nil, patience: Duration, holdsBack: Bool = true, reports: ReportLocation = .nowhere,
        keeping location: PrivateLocation? = nil
    ) throws(BrokerError) -> AnnexHost {
        var wishes = BrokerConfiguration()
        try wishes.read(points: points, policies: policies)
        wishes.instances = instances
        wishes.patience = patience
        wishes.holdsBack = holdsBack
        wishes.reports = reports
        wishes.privateDirectories = location
        let host = AnnexHost(service: try Broker(waiving: waiving, wishes))
        for app in apps { try host.installAndWait(app: app) }
        return host
    }
}
