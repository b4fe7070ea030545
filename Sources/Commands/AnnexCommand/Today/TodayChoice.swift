package import AnnexHost
import AnnexLinux
import AnnexModel
import AnnexPolicy
package import AnnexToday
import ArgumentParser

/// The options that choose the widgets of a Today view. All programs that show a Today view use these options.
package struct TodayChoice: ParsableArguments {
    @Option(help: "Show the widgets of this app, with a broker of this program's own.", completion: .directory)
    var app: [String] = []

    @Option(
        name: .customLong("grant"),
        help: ArgumentHelp(
            "With --app: grant this entitlement to the widgets that ask for it. May be given more than once.",
            valueName: "entitlement"))
    var granting: [String] = []

    @Option(
        name: .customLong("host"),
        help: ArgumentHelp(
            "With --grant com.apple.security.network.client: grant the network to this machine only. May be given more than once.",
            valueName: "name[:port]"))
    var hosts: [String] = []

    @Option(help: ArgumentHelp("Show only this widget.", valueName: "identifier"))
    var only: String?

    @Option(
        help: ArgumentHelp(
            "Where the widgets are shown.",
            discussion: """
                view: all widgets. lock-screen: those that say that everybody may read them. quick-actions: one widget of each app, which \
                stays compact.
                """, valueName: "surface"))
    package var surface = TodaySurface.Kind.view

    package init() {}

    package func check(with daemon: DaemonChoice) throws {
        try daemon.checkAlone(apps: app)
        guard granting.isEmpty || !app.isEmpty else {
            throw ValidationError("--grant is for --app: annex grant grants to installed widgets")
        }
        guard hosts.isEmpty || granting.contains(where: { PolicyFragment.withNamedHosts[$0] != nil }) else {
            throw ValidationError("--host is for --grant com.apple.security.network.client: add it")
        }
    }

    /// Makes a view that is not shown yet, and returns the view and its widgets.
    package func view(through daemon: DaemonChoice) throws -> (view: TodayView, widgets: [InstalledExtension]) {
        let host = try daemon.host(ofApps: app)
        let widgets = try widgets(of: host, through: daemon)
        let view = TodayView(of: host, keepingIn: folder()) { [only] in only == nil || $0.id == only }
        return (view, widgets)
    }

    /// The folder for the last content of widgets. The view also works without such a folder.
    private func folder() -> TodayFolder? {
        do throws(SystemError) {
            return try TodayFolder(SharedTodayFolder.standard())
        } catch {
            StandardError.print("annex: the last content of widgets is not kept: \(error)")
            return nil
        }
    }

    private func widgets(of host: AnnexHost, through daemon: DaemonChoice) throws -> [InstalledExtension] {
        try daemon.reporting { () throws(BrokerError) in
            if !app.isEmpty { try switchOn(host) }
            let widgets = try host.installedAndWait().filter { $0.extensionPoint == TodayView.point && $0.isOffered }
            guard let only else { return widgets }
            if let one = widgets.first(where: { $0.id == only }) { return [one] }
            throw BrokerError(
                .unknownExtension, what: "is no widget that is switched on", place: only,
                remedy: "annex list --all --point \(TodayView.point)")
        }
    }

    /// Switches all widgets of the apps on, because the user has named these apps.
    private func switchOn(_ host: AnnexHost) throws(BrokerError) {
        for one in try host.installedAndWait() where one.extensionPoint == TodayView.point && one.rejection == nil {
            for entitlement in one.entitlements where granting.contains(entitlement.name) {
                let hosts = PolicyFragment.withNamedHosts[entitlement.name] == nil ? [] : hosts
                try host.grantAndWait(entitlement.name, to: one.id, hosts: hosts)
            }
            try host.setEnabledAndWait(true, for: one.id)
        }
    }
}

extension TodaySurface.Kind: ExpressibleByArgument {}
