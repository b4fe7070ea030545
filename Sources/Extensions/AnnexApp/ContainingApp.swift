internal import AnnexBundle
// An app needs to import only this module. It exports the types of the groups too.
@_exported public import AnnexGroups
internal import AnnexLinux
internal import AnnexModel
internal import AnnexPortal
internal import AnnexPortalServer
internal import AnnexSigning
internal import Synchronization

/// The containing app, as its own program sees it. The type gives access to the app groups that the app shares with its
/// extensions.
///
/// ```swift
/// try ContainingApp.start()
/// let defaults = try SharedDefaults(suiteName: "group.com.example.todo")
/// print(defaults.integer(forKey: "open") ?? 0)
/// ```
///
/// The app is not sandboxed. It runs as the user who installed it.
/// - If the app is installed in the daemon of the whole machine, the app uses the groups of this daemon. The daemon
///   identifies the app by its program, which must be the installed program.
/// - Otherwise the app shares the files of its groups with the brokers of its user: embedded brokers, and a daemon of
///   this user.
public struct ContainingApp: Sendable {
    /// The bundle identifier.
    public let identifier: String
    /// The groups that the app declares.
    public let groups: [String]
    /// The reason why the broker started the app: the only argument of the program. It is nil unless the program has
    /// exactly one argument, and this argument is a reason. Any program of the user may start the app with any reason,
    /// and any program may have made a URL. So check what a URL asks for.
    public let startReason: StartReason?
    /// The URL with which the app was opened; nil if the app was not opened with a URL whose scheme it registers.
    public var openedURL: AppURL? {
        if case .url(let url) = startReason { url } else { nil }
    }

    /// Finds the app of this program, and opens its groups. Call this function once, before the first use of a group.
    ///
    /// - Parameter folder: the absolute path of the folder of private directories. If `folder` is nil, the app uses the
    ///   groups of the machine's daemon. If the app is not installed in this daemon, the app uses the user's own
    ///   folder of private directories, `PrivateLocation.standard`. If the environment variable `ANNEX_PRIVATE` names a
    ///   folder, the app does not ask the machine's daemon.
    /// - Throws: `invalid` if this program is not the program of an app bundle, or if the bundle breaks a rule.
    ///   `notMember` if the app declares groups and no team has signed it, or if another program is installed as this
    ///   app in the machine's daemon. `gone` if this daemon gives no answer.
    @discardableResult
    public static func start(privateDirectories folder: String? = nil) throws(PortalError) -> ContainingApp {
        let program = try program()
        if folder == nil, UserEnvironment.variable("ANNEX_PRIVATE") == nil, let app = try served(program) { return app }
        let app = try bundle(of: program)
        let groups = app.entitlements.applicationGroups
        let reason = startReason(among: app.urlSchemes)
        guard !groups.isEmpty else { return ContainingApp(identifier: app.identifier, groups: [], startReason: reason) }
        let team = try team(of: app)
        do throws(SystemError) {
            let path = if let folder { folder } else { try StandardPaths.privateDirectories() }
            Portal.install(
                try LocalPortal.open(
                    app.identifier, groups: groups.map { GroupKey(team: team, identifier: $0) }, in: path))
        } catch {
            throw PortalError(.system, what: "the groups cannot be opened: \(error.cause)", remedy: error.remedy)
        }
        installTransfers(of: app.identifier)
        return ContainingApp(identifier: app.identifier, groups: groups, startReason: reason)
    }

    /// Lets the app reach the daemon of its user for background transfers, which only a daemon keeps.
    private static func installTransfers(of app: String) {
        let connected = Mutex<PortalClient?>(nil)
        Portal.installTransfers { () throws(PortalError) in
            try connected.withLock { (connected) throws(PortalError) in
                if let portal = connected, !portal.isGone { return portal }
                guard let (portal, _) = try PortalClient.connect(to: StandardPaths.userDaemon(), app: app) else {
                    throw .transfersNeedDaemon
                }
                connected = portal
                return portal
            }
        }
    }

    /// The app as the machine's daemon knows it; nil if there is no such daemon, or if the app is not installed there.
    private static func served(_ program: String) throws(PortalError) -> ContainingApp? {
        // A program in the daemon's own folder cannot read its bundle. In this case the daemon finds the bundle by the
        // program.
        let app = try? bundle(of: program)
        if let app, app.entitlements.applicationGroups.isEmpty { return nil }
        let opened: (portal: PortalClient, description: MemberDescription)?
        do throws(PortalError) {
            opened = try PortalClient.connect(to: StandardPaths.machineDaemon(), app: app?.identifier ?? "")
        } catch {
            guard error.code == .notFound else { throw error }
            return nil
        }
        guard let (portal, description) = opened else { return nil }
        Portal.install(portal)
        return ContainingApp(
            identifier: description.identifier, groups: description.groups,
            startReason: startReason(among: description.schemes))
    }

    /// States whether one of the app's widgets has something to show
    /// (`NCWidgetController.setHasContent(_:forWidgetWithBundleIdentifier:)`). A Today view neither runs nor shows a
    /// widget without content. The widget may also state this itself: see `WidgetContext.hasContent`.
    ///
    /// The user's Today views learn of the statement at once. The statement holds until the app makes another
    /// statement. It also holds for views that are opened later.
    ///
    /// - Throws: `invalid` if the identifier does not begin with the app's own identifier and a dot; `system` if the
    ///   folder of the Today views cannot be written.
    public func setHasContent(
        _ hasContent: Bool, forWidgetWithBundleIdentifier widget: String
    ) throws(PortalError) {
        guard widget.hasPrefix(identifier + "."), SharedTodayFolder.fileName(of: widget) != nil else {
            throw PortalError(
                .invalid, what: "\(Escaped(widget, limit: 200)) is no extension of \(identifier)",
                remedy: "name a widget that the app carries")
        }
        do throws(SystemError) {
            try SharedTodayFolder(SharedTodayFolder.standard()).setHasContent(hasContent, of: widget)
        } catch {
            throw PortalError(
                .system, what: "the folder of the Today views cannot be written: \(error.cause)", remedy: error.remedy)
        }
    }

    private static func startReason(among schemes: [String]) -> StartReason? {
        let arguments = CommandLine.arguments
        return arguments.count == 2 ? StartReason(argument: arguments[1], ofAppRegistering: schemes) : nil
    }

    private static func program() throws(PortalError) -> String {
        do throws(SystemError) {
            return try Descriptor.reference(to: "/proc/self/exe").path()
        } catch {
            throw PortalError(.system, what: "this program's own file cannot be found: \(error.cause)")
        }
    }

    private static func bundle(of program: String) throws(PortalError) -> AppBundle {
        let folder = program.split(separator: "/").dropLast()
        guard folder.last?.hasSuffix(".app") ?? false else {
            throw PortalError(
                .invalid, what: "\(Escaped(program)) is not in an app",
                remedy: "start the program in its bundle: Name.app/Name")
        }
        do throws(BundleError) {
            return try AppBundle.open("/" + folder.joined(separator: "/"))
        } catch {
            throw PortalError(.invalid, what: "\(error)", remedy: "annex validate shows every fault of the app")
        }
    }

    private static func team(of app: AppBundle) throws(PortalError) -> String {
        let sealed: SealedApp?
        do throws(SigningError) {
            sealed = try SealedApp.load(app)
        } catch {
            throw PortalError(.invalid, what: "the app's signature cannot be read: \(error.what)", remedy: error.remedy)
        }
        if let team = sealed?.team { return team.publicKey.hex }
        throw PortalError(
            .notMember, what: "no team has signed \(app.identifier), and a group belongs to a team",
            remedy: "annex sign the app, with the key of the team")
    }
}

extension ContainingApp {
    /// Works on the outcomes of a background session, for which the broker may have started this app
    /// (`StartReason.backgroundSession`). If `body` returns, the app has taken note of the outcomes. Apple's counterpart
    /// is `application(_:handleEventsForBackgroundURLSession:completionHandler:)`.
    ///
    /// If `body` throws or the app ends in it, no outcome is lost: the broker starts the app again at the session's next
    /// change, and three times at most.
    /// - Throws: `notFound` if no group of the app has a session with this identifier; `busy` if another process holds
    ///   the session; what `body` throws.
    public nonisolated(nonsending) func handleEvents(
        of identifier: String, _ body: (BackgroundSession) async throws -> Void
    ) async throws {
        let session = try await session(identifier)
        do {
            _ = try await session.tasks()
            try await body(session)
            try await session.finishEvents()
        } catch {
            try? await session.invalidate()
            throw error
        }
        try await session.invalidate()
    }

    private nonisolated(nonsending) func session(_ identifier: String) async throws(PortalError) -> BackgroundSession {
        for group in groups where try await BackgroundSession.identifiers(in: group).contains(identifier) {
            return try await BackgroundSession(identifier: identifier, sharedContainerIdentifier: group)
        }
        throw PortalError(
            .notFound, what: "no group of \(self.identifier) has a session \(Escaped(identifier, limit: 200))",
            remedy: "name the session that an extension of the app has opened")
    }
}
