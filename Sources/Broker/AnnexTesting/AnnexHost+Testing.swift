internal import AnnexBroker
public import AnnexBrokerAPI
internal import AnnexEmbedded
public import AnnexHost

extension AnnexHost {
    /// Makes a host for tests, with a broker in the test's process.
    ///
    /// This host differs from a host of `embedded` wherever the difference keeps tests fast and reliable:
    /// - An extension that failed repeatedly is launched again at once. So a test may make an extension fail as often
    ///   as necessary.
    /// - No report is written on the ends of extensions.
    /// - Time limits are raised to `patience`, because a busy machine may run several tests at once. The order of the
    ///   limits stays the same, and the limit of processor time grows with them. So an extension that misbehaves ends
    ///   with the same reason as in `embedded`. The limits of memory and files are the extension point's own limits.
    /// - Extensions have private directories only if `privateDirectories` names a folder for them.
    ///
    /// The sandbox is the same as in `embedded`.
    ///
    /// - Parameters:
    ///   - apps: the paths of the apps under test. `TestApp` makes an app of built programs.
    ///   - points: a directory of the host's own extension points, as for `embedded`.
    ///   - policies: a directory of the host's own policies, as for `embedded`.
    ///   - patience: the shortest limit for a launch, a request and the watchdog.
    ///   - privateDirectories: the folder for private directories; nil if extensions have none.
    /// - Throws: a `BrokerError`, as `embedded` does.
    public static func testing(
        apps: [String] = [], points: String? = nil, policies: String? = nil, patience: Duration = .seconds(60),
        privateDirectories: String? = nil
    ) throws(BrokerError) -> AnnexHost {
        try embedded(
            apps: apps, points: points, policies: policies, patience: patience, holdsBack: false, reports: .nowhere,
            keeping: privateDirectories.map { .folder($0) })
    }

    /// Makes a host for tests of these apps.
    public static func testing(_ apps: TestApp..., patience: Duration = .seconds(60)) throws(BrokerError) -> AnnexHost {
        try testing(apps: apps.map(\.path), patience: patience)
    }
}
