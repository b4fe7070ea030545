internal import AnnexBrokerAPI
internal import AnnexBundle
package import AnnexLinux
package import AnnexPortal
internal import AnnexPortalServer
internal import AnnexRegistry
internal import AnnexSigning
internal import Synchronization

/// Portals for containing apps. A portal is a socket through which an extension or an app sends requests to the broker.
///
/// An app is not sandboxed. Its identity is checked by its program, which must be the installed program. This check
/// prevents mistakes: no program uses the portal of another app, and no app uses the portal of its replacement. The
/// check does not stop attacks. Any process of the user can trace the app (ptrace(2)), load code into the app, and so
/// pretend to be the app.
extension Broker {
    /// Opens the portal of an app.
    /// - Parameters:
    ///   - claimed: the bundle identifier that the process states; empty if the process does not know its bundle.
    ///   - program: the file that the process executes.
    ///   - socket: the connection of the process. If the portal cannot be opened, the socket is closed.
    ///   - onEnd: called once, when the portal has ended.
    /// - Throws: `notFound` if no app with this identifier or program is installed. `notMember` if the installed app
    ///   has another program. `notMember` also if the app declares app groups and no team has signed the app.
    package func openPortal(
        ofApp claimed: String, running program: borrowing Descriptor, over socket: consuming ControlSocket,
        onEnd: @escaping @Sendable () -> Void
    ) throws(PortalError) -> AppPortal {
        let app = try app(claiming: claimed, running: program)
        let opened = try groups(ofApp: app)
        do throws(SystemError) {
            let member = try PortalMember(
                app.identifier, schemes: app.urlSchemes, groups: opened, container: \.containerPath,
                isAllowed: { _ in true }, wake: {})
            let connection = try portals.serve(
                member, over: socket,
                onViolation: { [log] rule in log.violated(rule, by: member.identifier) }, onEnd: onEnd)
            let portal = appPortals.add(AppPortal(connection, of: app.identifier, groups: opened))
            // The app may have been removed in the meantime, before its portal was in the list of open portals.
            if !isInstalled(app.identifier) { portal.end() }
            return portal
        } catch {
            throw PortalError(.system, what: "the portal cannot be opened: \(error.cause)", remedy: error.remedy)
        }
    }

    private func isInstalled(_ app: String) -> Bool {
        registry.value.bundlesInUse.contains { $0.identifier == app }
    }

    private func app(
        claiming identifier: String, running program: borrowing Descriptor
    ) throws(PortalError) -> AppBundle {
        let installed = registry.value.bundlesInUse.filter { identifier.isEmpty || $0.identifier == identifier }
        for app in installed where (try? app.executable.isSameProgram(as: program)) ?? false { return app }
        guard identifier.isEmpty || installed.isEmpty else {
            throw PortalError(
                .notMember, what: "this program is not the one of the installed \(identifier)",
                remedy: "install this version of the app, or start the installed one")
        }
        throw PortalError(
            .notFound, what: "no installed app has this program", remedy: "install the app: annex install --system PATH"
        )
    }

    private func groups(ofApp app: AppBundle) throws(PortalError) -> [OpenGroup] {
        let declared = app.entitlements.applicationGroups
        guard !declared.isEmpty else { return [] }
        guard let team = signatures.team(ofApp: app.identifier) else {
            throw PortalError(
                .notMember, what: "no team has signed \(app.identifier), and a group belongs to a team",
                remedy: "annex sign the app, with the key of the team, and install it")
        }
        do throws(BrokerError) {
            return try groups.open(declared.sorted(), of: team, forProgramsOf: app.identifier)
        } catch {
            throw PortalError(.system, what: "\(error.place) \(error.what)", remedy: error.remedy)
        }
    }
}

/// The portal of one containing app. As long as the portal exists, the groups that the app uses stay open.
package final class AppPortal: Sendable {
    let app: String
    private let connection: PortalConnection
    private let groups: [OpenGroup]

    init(_ connection: PortalConnection, of app: String, groups: [OpenGroup]) {
        self.app = app
        self.connection = connection
        self.groups = groups
    }

    package func end() { connection.end() }
}

/// The open portals of a broker's containing apps.
final class AppPortals: Sendable {
    private struct Known {
        weak var portal: AppPortal?
    }

    private let open = Mutex<[Known]>([])

    func add(_ portal: AppPortal) -> AppPortal {
        open.withLock { open in
            open.removeAll { $0.portal == nil }
            open.append(Known(portal: portal))
        }
        return portal
    }

    /// Ends the portals of an app that was removed.
    func end(of app: String) {
        let portals = open.withLock { $0.compactMap(\.portal).filter { $0.app == app } }
        for portal in portals { portal.end() }
    }
}

extension BundleFile {
    private static let piece = 256 << 10

    /// Whether another open file is this program. The other file must be the same file, or have the same contents.
    fileprivate func isSameProgram(as other: borrowing Descriptor) throws(SystemError) -> Bool {
        // The check shows that the file still has the contents that the installation checked.
        guard try isUnchanged() else { return false }
        let found = try other.status()
        if found.device == status.device, found.inode == status.inode { return true }
        guard found.kind == .regular, found.size == status.size else { return false }
        var place: Int64 = 0
        while place < status.size {
            let own = try descriptor.read(at: place, count: Self.piece)
            guard !own.isEmpty, try own == other.read(at: place, count: Self.piece) else { return false }
            place += Int64(own.count)
        }
        return true
    }
}
