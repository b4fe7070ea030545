internal import AnnexBrokerAPI
internal import AnnexChannel
internal import AnnexLinux
internal import AnnexModel
internal import Synchronization

/// A broker that runs as a daemon. It serves the same requests and events as an embedded broker, over a socket.
final class DaemonService: BrokerService {
    let link: DaemonLink

    /// - Parameters:
    ///   - places: sockets to try in order. The first socket at which a daemon listens is used.
    ///   - patience: how long to wait for each answer.
    init(connectingTo places: [String], patience: Duration) throws(BrokerError) {
        link = try DaemonLink.connect(to: places, patience: patience)
    }

    deinit {
        link.close()
    }

    func install(app path: String, granting: [String]) throws(BrokerError) -> [InstalledExtension] {
        if !granting.isEmpty { try checkMayGrant(granting) }
        let name = path.split(separator: "/").last.map(String.init) ?? path
        let archive: Descriptor
        do throws(BundleArchiveFailure) {
            archive = try BundleArchiveWriter.archive(of: path)
        } catch {
            throw BrokerError(
                .invalidBundle, what: "\(error)", place: path, remedy: "name an app's directory that this user can read"
            )
        }
        do throws(BrokerError) {
            let answer = try link.ask(
                .install(name: name, granting: granting), descriptors: DescriptorList(archive),
                for: AnnexHost.longestChange)
            if case .extensions(let extensions, _) = answer { return extensions }
            throw link.misunderstanding
        } catch {
            // The daemon knows only the app's name, so its error contains the name. The host's caller needs the path
            // instead.
            throw error.place == name
                ? BrokerError(error.code, what: error.what, place: path, remedy: error.remedy) : error
        }
    }

    func remove(app identifier: String) throws(BrokerError) {
        _ = try link.ask(.uninstall(app: identifier))
    }

    func pin(app identifier: String, to version: String?) throws(BrokerError) -> [InstalledExtension] {
        guard link.version >= ServiceWire.firstWithChanges else {
            throw BrokerError(
                .unreachable, what: "this daemon is older and knows one version of each app", place: identifier,
                remedy: "restart annexd after its update")
        }
        let answer = try link.ask(.pin(app: identifier, version: version))
        if case .extensions(let extensions, _) = answer { return extensions }
        throw link.misunderstanding
    }

    var changes: InstalledChanges { link.feed.follow() }

    func setEnabled(_ isEnabled: Bool, for identifier: String) throws(BrokerError) {
        _ = try link.ask(.setEnabled(isEnabled, extension: identifier))
    }

    func setGranted(
        _ isGranted: Bool, entitlements: [String], hosts: [String], for identifier: String
    ) throws(BrokerError) -> InstalledExtension {
        try checkMayGrant(entitlements)
        try checkMayName(hosts)
        let answer = try link.ask(
            .setGranted(isGranted, entitlements: entitlements, hosts: hosts, extension: identifier))
        if case .extensions(let extensions, _) = answer, let one = extensions.first { return one }
        throw link.misunderstanding
    }

    private func checkMayGrant(_ entitlements: [String]) throws(BrokerError) {
        guard link.supports(ServiceWire.firstWithGrants) else {
            throw BrokerError(
                .wrongEntitlement, what: "is a daemon that knows no entitlements", place: link.path,
                remedy: "restart annexd after its update")
        }
        // The names are sent in one text, in which spaces separate them. So no name may contain a space.
        for name in entitlements where name.isEmpty || name.utf8.contains(UInt8(ascii: " ")) {
            throw BrokerError(.wrongEntitlement, what: "is not the name of an entitlement", place: name)
        }
        guard entitlements.count <= ServiceWire.mostEntitlements else {
            throw BrokerError(
                .wrongEntitlement, what: "gets at most \(ServiceWire.mostEntitlements) entitlements in one request",
                place: link.path, remedy: "name fewer entitlements")
        }
    }

    private func checkMayName(_ hosts: [String]) throws(BrokerError) {
        guard hosts.isEmpty || link.supports(ServiceWire.firstWithHosts) else {
            throw BrokerError(
                .wrongEntitlement, what: "is a daemon whose grants name no machines", place: link.path,
                remedy: "restart annexd after its update")
        }
        // They are sent in one text, like entitlements.
        for host in hosts where host.isEmpty || host.utf8.contains(UInt8(ascii: " ")) {
            throw BrokerError(
                .wrongEntitlement, what: "is no machine", place: host, remedy: "name one, such as feed.example.org:443")
        }
        let bytes = hosts.reduce(0) { $0 + $1.utf8.count + 1 }
        guard hosts.count <= ServiceWire.mostHosts, bytes <= ServiceWire.longestText else {
            throw BrokerError(
                .wrongEntitlement, what: "gets at most \(ServiceWire.mostHosts) machines in one request",
                place: link.path, remedy: "name fewer machines")
        }
    }

    func trust(key: String, for app: String?) throws(BrokerError) -> SigningTeam {
        guard link.supports(ServiceWire.firstWithTrust) else {
            throw BrokerError(
                .untrustedTeam, what: "is a daemon that knows no signatures", place: link.path, remedy: "update annexd")
        }
        guard case .trusted(let team) = try link.ask(.trust(key: key, app: app)) else { throw link.misunderstanding }
        return team
    }

    func open(_ url: String) throws(BrokerError) -> String {
        guard link.supports(ServiceWire.firstWithOpening) else {
            throw BrokerError(
                .unknownApp, what: "is a daemon that opens no URLs", place: link.path,
                remedy: "restart annexd after its update")
        }
        guard case .opened(let app) = try link.ask(.open(url: url)) else { throw link.misunderstanding }
        return app
    }

    func checkTurn(since moment: UInt64, for least: Duration) throws(BrokerError) {
        try link.checkTurn(since: moment, for: least)
    }

    func terms(for identifier: String) throws(BrokerError) -> SessionTerms {
        try terms(in: link.ask(.terms(extension: identifier)))
    }

    nonisolated(nonsending) func askedTerms(for identifier: String) async throws(BrokerError) -> SessionTerms {
        try terms(in: await link.asked(.terms(extension: identifier)))
    }

    private func terms(in answer: ServiceAnswer) throws(BrokerError) -> SessionTerms {
        guard case .terms(let found) = answer else { throw link.misunderstanding }
        return found
    }

    func launch(
        _ identifier: String, as point: String?, for purpose: LaunchPurpose, timeLimit: Duration?, origin: String?,
        channel: consuming ExtensionDescriptors, of host: HostEndpoint,
        events: @escaping @Sendable (ExtensionEvent) -> Void
    ) throws(BrokerError) -> any ExtensionHandle {
        try checkMayExpect(point)
        let request = ServiceRequest.launch(
            extension: identifier, as: point, for: purpose, timeLimit: timeLimit, origin: known(origin),
            counters: host.counterNumber)
        let launched = RemoteExtension(host, events: events)
        return RemoteHandle(
            try link.launch(request, descriptors: DescriptorList(handingOver: channel), remote: launched), link: link)
    }

    nonisolated(nonsending) func askedLaunch(
        _ identifier: String, as point: String?, for purpose: LaunchPurpose, timeLimit: Duration?, origin: String?,
        channel: consuming ExtensionDescriptors, of host: HostEndpoint,
        events: @escaping @Sendable (ExtensionEvent) -> Void
    ) async throws(BrokerError) -> any ExtensionHandle {
        try checkMayExpect(point)
        let request = ServiceRequest.launch(
            extension: identifier, as: point, for: purpose, timeLimit: timeLimit, origin: known(origin),
            counters: host.counterNumber)
        let launched = RemoteExtension(host, events: events)
        return RemoteHandle(
            try await link.launched(request, descriptors: DescriptorList(handingOver: channel), remote: launched),
            link: link)
    }

    /// The origin; nil if the daemon is too old to know origins. Such a daemon delays all launches of an extension that
    /// fails repeatedly.
    private func known(_ origin: String?) -> String? {
        link.supports(ServiceWire.firstWithOrigins) ? origin : nil
    }

    /// Throws if the daemon is too old to check the expected point. Such a daemon would ignore the point, and would
    /// also launch an extension of another point.
    private func checkMayExpect(_ point: String?) throws(BrokerError) {
        let version = link.state.withLock(\.version)
        guard point != nil, version < ServiceWire.firstWithPoints else { return }
        throw BrokerError(
            .otherPoint, what: "is a daemon of wire version \(version), which does not check the extension point",
            place: link.path, remedy: "update annexd, or begin without naming the point")
    }
}

extension DescriptorList {
    /// The descriptors of one launch, in the order of the wire.
    fileprivate init(handingOver channel: consuming ExtensionDescriptors) {
        self.init(channel.control)
        append(channel.hostRegion)
        append(channel.extensionRegion)
    }
}
