internal import AnnexBrokerAPI
internal import AnnexLaunch
internal import AnnexLinux
internal import AnnexModel
internal import AnnexPolicy
internal import Logging

/// Writes a broker's entries to the program's log (swift-log, label `annex.broker`). `Docs/Guide/Observing.md` lists
/// the metadata keys, which stay the same from version to version.
struct BrokerLog: Sendable {
    static let label = "annex.broker"
    static let identifier = "identifier"
    static let policy = "policy"
    static let cause = "cause"
    static let remedy = "remedy"
    static let folder = "folder"
    static let lost = "lost"

    static let user = "user"
    static let host = "host"

    private(set) var logger = Logger(label: Self.label)

    /// - Parameter user: the user of this broker, in a program that has several brokers; nil in other programs.
    init(_ user: String? = nil) {
        if let user { logger[metadataKey: Self.user] = "\(user)" }
    }

    /// The same log for one host's extensions.
    func of(_ host: HostEnd) -> BrokerLog {
        guard let process = host.process else { return self }
        var log = self
        log.logger[metadataKey: Self.host] = "\(process)"
        return log
    }

    /// Logs once per broker that extensions run without this layer.
    func waived(_ waiver: SandboxReport.Waiver) {
        var metadata: Logger.Metadata = [
            "layer": "\(waiver.layer.rawValue)", Self.cause: "\(Escaped(waiver.cause ?? ""))",
        ]
        if let remedy = waiver.remedy { metadata[Self.remedy] = "\(Escaped(remedy))" }
        logger.warning("extensions run without a layer, as their host allows", metadata: metadata)
    }

    /// Logs private directories that cannot be removed now. The next start of a broker tries again.
    func keptPrivate(_ name: String, error: SystemError) {
        logger.error(
            "a private directory cannot be removed",
            metadata: [
                Self.identifier: "\(Escaped(name))", Self.cause: "\(Escaped(error.cause))",
                Self.remedy: "\(Escaped(error.remedy ?? ""))",
            ])
    }

    func launching(_ identifier: String, policy: String) {
        logger.debug("an extension is launched", metadata: Self.of(identifier, policy: policy))
    }

    /// Logs an extension that breaks a rule. Its app is installed without this extension.
    func rejected(_ rejection: BrokerError) {
        logger.warning(
            "an extension is rejected",
            metadata: [
                Self.identifier: "\(Escaped(rejection.place))", Self.cause: "\(Escaped(rejection.what))",
            ])
    }

    /// Logs the grants that ended because another team now signs the app of the extension.
    func endedGrants(_ ended: [String: Set<String>]) {
        for (identifier, names) in ended.sorted(by: { $0.key < $1.key }) {
            logger.notice(
                "grants ended with a change of the team",
                metadata: [
                    Self.identifier: "\(Escaped(identifier))",
                    "entitlements": "\(Escaped(names.sorted().joined(separator: " ")))",
                ])
        }
    }

    /// Logs that a containing app broke a rule, and that therefore its portal (its socket for requests to the broker)
    /// was closed.
    func violated(_ rule: String, by app: String) {
        logger.notice(
            "the portal of an app was closed because the app broke a rule",
            metadata: [Self.identifier: "\(Escaped(app))", Self.cause: "\(Escaped(rule))"])
    }

    func woke(_ app: String, for session: String) {
        logger.info(
            "an app was started, because its background transfers have ended",
            metadata: [Self.identifier: "\(Escaped(app))", "session": "\(Escaped(session))"])
    }

    func failedTransfers(_ cause: String) {
        logger.warning("background transfers wait", metadata: [Self.cause: "\(Escaped(cause, limit: 500))"])
    }

    func heldBack(_ identifier: String, error: BrokerError) {
        logger.notice(
            "an extension is held back",
            metadata: [
                Self.identifier: "\(Escaped(identifier))", Self.cause: "\(Escaped(error.what))",
                Self.remedy: "\(Escaped(error.remedy ?? ""))",
            ])
    }

    func ready(_ identifier: String, report: LaunchReport) {
        logger.debug(
            "an extension is ready",
            metadata: Self.of(identifier, policy: report.policy).merging(
                ["launch": "\(report.total)", "waited": "\(report.waited)"]) { $1 })
    }

    /// Logs that an extension opened a URL with an app. The level is `notice` if the app is not the extension's own
    /// app, otherwise `debug`. Only the scheme of the URL is logged, because the other parts of the URL may be private.
    func opened(_ url: AppURL, with app: String, for identifier: String, isOwn: Bool) {
        logger.log(
            level: isOwn ? .debug : .notice,
            isOwn ? "an extension opened its app" : "an extension opened another app than its own",
            metadata: [Self.identifier: "\(Escaped(identifier))", "scheme": "\(url.scheme)", "app": "\(Escaped(app))"])
    }

    /// Logs the end of an extension, with the level `debug` for a normal end and `notice` for a failure.
    func ended(_ end: EndedExtension) {
        let termination = end.termination
        logger.log(
            level: termination.isFailure ? .notice : .debug, "an extension ended",
            metadata: Self.of(end.identifier, policy: end.policy).merging([
                "reason": "\(termination.reason.rawValue)", "detail": "\(termination.detail)",
                "lifetime": "\(end.lifetime)", "denials": "\(termination.usage.denials)",
                "peakMemory": "\(termination.usage.peakMemory.map(String.init) ?? "")",
            ]) { $1 })
    }

    private static func of(_ identifier: String, policy: String) -> Logger.Metadata {
        [Self.identifier: "\(Escaped(identifier))", Self.policy: "\(Escaped(policy))"]
    }
}
