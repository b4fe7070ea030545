internal import AnnexBrokerAPI
internal import AnnexBundle
internal import AnnexLinux
internal import AnnexModel
internal import AnnexPortal
internal import AnnexPortalServer
internal import AnnexRegistry

/// Opens each URL with the app that registers the URL's scheme (S6 in `Docs/SPECIFICATION.md`).
struct AppOpener: Sendable {
    let registry: InstalledRegistry
    let points: PointLibrary
    let starter: AppStarter
    let log: BrokerLog

    // MARK: For the user

    /// Opens a URL at the user's request.
    /// - Returns: the identifier of the app.
    func open(_ text: String) throws(BrokerError) -> String {
        let url = try Self.url(text)
        let app = try app(for: url, preferring: nil)
        try start(app, with: url)
        return app.identifier
    }

    private static func url(_ text: String) throws(BrokerError) -> AppURL {
        do throws(AppURL.Fault) {
            return try AppURL(text)
        } catch {
            throw BrokerError(
                .invalidURL, what: error.what, place: "\(Escaped(text, limit: 200))", remedy: "state it as SCHEME:…")
        }
    }

    /// The app that registers the scheme of a URL.
    /// - Parameter own: the app to prefer if several apps register the scheme.
    private func app(for url: AppURL, preferring own: String?) throws(BrokerError) -> AppBundle {
        let apps = registry.value.apps(registering: url.scheme)
        if let one = apps.first(where: { $0.identifier == own }) ?? (apps.count == 1 ? apps.first : nil) { return one }
        guard apps.isEmpty else {
            throw BrokerError(
                .unknownApp, what: "is registered by \(apps.map(\.identifier).joined(separator: " and "))",
                place: "\(url.scheme):", remedy: "remove all of these apps but one")
        }
        throw BrokerError(
            .unknownApp, what: "is registered by no installed app", place: "\(url.scheme):",
            remedy: "install an app that names the scheme in CFBundleURLTypes")
    }

    private func start(_ app: AppBundle, with url: AppURL) throws(BrokerError) {
        try starter.startInstalled(app, for: .url(url))
    }

    // MARK: For extensions

    /// Whether the extensions of a point may open a URL at all.
    func mayOpen(_ point: String) -> Bool { rule(of: point) != .none }

    private func rule(of point: String) -> URLOpening { points.point(point)?.openURL ?? .none }

    /// Opens a URL at an extension's request, within the rule of the extension's point.
    /// - Parameter isAfterAction: whether the user has just acted in the extension's view.
    func open(
        _ text: String, for extension: String, afterAction isAfterAction: Bool
    ) throws(PortalError) -> String {
        guard let record = registry.value.record(`extension`) else {
            throw PortalError(.notAllowed, what: "the extension is no longer installed")
        }
        let (rule, own) = (rule(of: record.info.extensionPoint), record.info.containingApp)
        guard rule != .none else {
            throw PortalError(
                .notAllowed, what: "extensions of \(record.info.extensionPoint) open no URLs",
                remedy: "let the host show the URL: answer with it")
        }
        guard rule != .anyAfterAction || isAfterAction else {
            throw PortalError(
                .notAllowed, what: "an app opens only after the user has acted in the view",
                remedy: "open the URL while the extension answers the action, as in perform(_:in:) of a widget")
        }
        do throws(BrokerError) {
            return try open(text, for: `extension`, of: own, onlyOwn: rule == .containingApp)
        } catch {
            throw PortalError(PortalError.Code(error.code), what: "\(error.place) \(error.what)", remedy: error.remedy)
        }
    }

    private func open(
        _ text: String, for extension: String, of own: String, onlyOwn: Bool
    ) throws(BrokerError) -> String {
        let url = try Self.url(text)
        let app = try app(for: url, preferring: own)
        let isOwn = app.identifier == own
        guard isOwn || !onlyOwn else {
            throw BrokerError(
                .disabled, what: "belongs to \(app.identifier), and this extension opens its own app only",
                place: "\(url.scheme):", remedy: "use a scheme of \(own)")
        }
        try start(app, with: url)
        log.opened(url, with: app.identifier, for: `extension`, isOwn: isOwn)
        return app.identifier
    }
}

extension PortalError.Code {
    fileprivate init(_ code: BrokerError.Code) {
        self =
            switch code {
            case .invalidURL: .invalid
            case .unknownApp: .notFound
            case .disabled: .notAllowed
            default: .system
            }
    }
}
