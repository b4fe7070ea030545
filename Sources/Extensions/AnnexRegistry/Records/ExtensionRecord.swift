package import AnnexBundle
package import AnnexModel

/// An installed extension: its build, the facts from its bundle, and whether hosts may begin it.
package struct ExtensionRecord: Sendable {
    /// The facts about the extension from its bundle.
    package struct Info: Sendable, Hashable {
        /// The name to show to a user.
        package let displayName: String
        /// The extension point; empty if the bundle was rejected before its point was read.
        package let extensionPoint: String
        /// The bundle identifier of the app that carries the extension.
        package let containingApp: String
        /// The surfaces that show the widget in addition to the Today view; empty if the extension is not a widget.
        package var surfaces: WidgetSurfaces = []
    }

    package let instance: Instance
    package let info: Info
    package let verdict: RecordVerdict
    /// Whether the extension is on if the user has not switched it on or off.
    package let isOnByDefault: Bool
    /// The bundle as it was checked; nil if the bundle broke a rule of packaging. While this value exists, the bundle
    /// stays on disk.
    package let bundle: ExtensionBundle?
    /// The extension's point; nil if the broker does not have it, or if the bundle broke a rule of packaging.
    package let point: ExtensionPoint?
    /// The number of the installation. Each installation and each change of a grant gives the extension a new number,
    /// even if its files are the same.
    package let number: UInt64
    /// The identifier in the extension's bundle, even if the bundle breaks a rule; nil if the identifier cannot be
    /// read.
    let statedIdentifier: String?

    package var identifier: String { instance.identifier }
}

/// Whether hosts may begin an installed extension. The verdict does not say whether the user has switched the
/// extension on.
package enum RecordVerdict: Sendable, Hashable {
    case offered
    /// The extension names a point that the broker does not have.
    case unsupportedPoint(BundleError)
    /// The extension breaks a rule of packaging. The error names the rule and the remedy.
    case broken(BundleError)
    /// Another version of the extension's app is used. `isPinned` says whether the user chose that version.
    case superseded(by: BundleVersion, isPinned: Bool)
}

extension ExtensionRecord {
    /// Creates the record of a bundle that keeps the rules of packaging. The extension's point decides whether hosts
    /// may begin the extension.
    init(_ bundle: ExtensionBundle, in app: AppBundle, of build: AppBuild, points: PointLibrary, number: UInt64) {
        var verdict = RecordVerdict.offered
        var isOn = true
        do throws(PointFault) {
            isOn = try points.point(of: bundle).isOnByDefault
        } catch {
            switch error {
            case .unsupportedPoint(let error): verdict = .unsupportedPoint(error)
            case .wrongAttribute(let error): verdict = .broken(error)
            }
        }
        self.init(
            instance: Instance(bundle.identifier, version: build.version, digest: build.digest),
            info: Info(
                displayName: bundle.displayName, extensionPoint: bundle.extensionPoint,
                containingApp: bundle.containingApp, surfaces: WidgetSurfaces(of: bundle, in: app)),
            verdict: verdict, isOnByDefault: isOn, bundle: bundle, point: points.point(bundle.extensionPoint),
            number: number, statedIdentifier: bundle.identifier)
    }

    /// Creates the record of a bundle that breaks a rule. The record is named after the bundle's path in its app,
    /// because the bundle's property list may be wrong.
    init(_ rejected: RejectedExtension, of app: AppBundle, build: AppBuild) {
        self.init(
            instance: Instance("\(app.identifier)/\(rejected.place)", version: build.version, digest: build.digest),
            info: Info(displayName: rejected.place, extensionPoint: "", containingApp: app.identifier),
            verdict: .broken(rejected.error), isOnByDefault: true, bundle: nil, point: nil, number: 0,
            statedIdentifier: rejected.identifier)
    }

    /// The record of the same extension if another version of its app is used.
    func superseded(by version: BundleVersion, isPinned: Bool) -> ExtensionRecord {
        ExtensionRecord(
            instance: instance, info: info, verdict: .superseded(by: version, isPinned: isPinned),
            isOnByDefault: isOnByDefault, bundle: bundle, point: point, number: number,
            statedIdentifier: statedIdentifier)
    }

    /// The record of the same extension as a new installation, so that processes of the old installation are not used
    /// again.
    func renumbered(_ number: UInt64) -> ExtensionRecord {
        ExtensionRecord(
            instance: instance, info: info, verdict: verdict, isOnByDefault: isOnByDefault, bundle: bundle,
            point: point, number: number, statedIdentifier: statedIdentifier)
    }
}

extension WidgetSurfaces {
    /// Reads the surfaces of a widget from the bundles of the widget and its app. If the widget's attributes cannot
    /// be read, no lock screen shows the widget.
    fileprivate init(of bundle: ExtensionBundle, in app: AppBundle) {
        self = []
        guard bundle.extensionPoint == WidgetPoint.identifier else { return }
        if app.shortcutWidget == bundle.identifier { insert(.quickActions) }
        if (try? bundle.attributes())?[Self.lockScreenKey] == .boolean(true) { insert(.lockScreen) }
    }
}
