internal import AnnexActivation
internal import AnnexLinux
public import AnnexModel

/// A containing app on disk that passed every check. It has a program of its own and carries extensions.
///
/// Directories and executables stay open. A later launch therefore runs exactly the files that were checked.
public final class AppBundle: Sendable {
    /// `CFBundleIdentifier`.
    public let identifier: String
    /// The name to show to a user. It is `CFBundleDisplayName`, otherwise `CFBundleName`, otherwise the identifier.
    public let displayName: String
    /// `CFBundleVersion`; 0 if the key is missing.
    public let version: BundleVersion
    /// `CFBundleShortVersionString`: the version to show to a user. If the key is missing, this value is the same as
    /// `version`.
    public let shortVersion: BundleVersion
    /// The URL schemes in `CFBundleURLTypes`. They are in lower case and sorted. Each scheme appears once, and there
    /// are at most 64 schemes.
    public let urlSchemes: [String]
    /// The identifier of the widget that a list of quick actions shows for this app. The key
    /// `UIApplicationShortcutWidget` names this widget. If the key is missing, the app's only widget is used. Nil if
    /// the key names no widget of the app, or if the key is missing and the app has no widget or several.
    public let shortcutWidget: String?
    /// The entitlements that the app asks for.
    public let entitlements: Entitlements
    /// The app's own directory.
    public let directory: BundleFile
    /// The app's own program.
    public let executable: BundleFile
    /// The extensions under `PlugIns/` that keep all rules, sorted by the names of their directories.
    public let extensions: [ExtensionBundle]
    /// The extensions under `PlugIns/` that break a rule. The app and its other extensions stay usable.
    public let rejected: [RejectedExtension]
    /// The path to show in messages: the escaped name of the app's directory.
    let shown: String
    /// The status of `Info.plist` when Annex checked the file.
    private let checked: FileStatus

    /// Opens an app, and checks the app and its extensions.
    ///
    /// - Throws: the first fault of the app itself. If an extension breaks a rule, it is listed in `rejected` instead.
    public static func open(_ path: String) throws(BundleError) -> AppBundle {
        let findings = FindingCollector(.opening)
        let app = AppBundle(path, reporting: findings) { _, _ in }
        return try findings.verdict(on: app, at: Escaped(path).description)
    }

    /// Reads an app and reports every fault.
    ///
    /// - Parameters:
    ///   - findings: receives the faults of the app itself.
    ///   - examined: is called for each extension, with the findings about it. If the extension could be read, the
    ///     call also gets the extension.
    /// - Returns: nil if the app cannot be used.
    init?(
        _ path: String, reporting findings: FindingCollector,
        examined: (_ findings: FindingCollector, _ found: ExtensionBundle?) -> Void
    ) {
        let opened = findings.attempt { () throws(BundleError) in
            let bundle = try BundleDirectory(app: path)
            try bundle.checkName(suffix: ".app")
            return bundle
        }
        guard let bundle = opened else { return nil }
        let tree = BundleTree()
        tree.walk(bundle, reporting: findings)
        AppLayout(tree, findings: findings).check(bundle)
        let frameworks = findings.find { () throws(BundleError) in try FrameworksDirectory.open(in: bundle) }
        var parts = BundleParts(of: bundle, owner: .app, reporting: findings)
        let app = ContainingAppFacts(parts, frameworks: frameworks)
        (extensions, rejected) = PlugIns(in: tree, of: app, purpose: findings.purpose)
            .read(bundle, reporting: findings, examined: examined)
        let schemes = parts.info.flatMap { info in
            findings.attempt { () throws(BundleError) in try URLSchemes.read(info) }
        }
        if let info = parts.info {
            BundleFace.check(bundle, info: info, reporting: findings)
            InfoAdvice.warnOfPlaceholders(in: info, reporting: findings)
            TypeDeclarationChecks.check(info, reporting: findings)
        }
        guard let info = parts.info, let keys = parts.keys, let identifier = keys.identifier, let schemes,
            let executable = parts.takeProgram()
        else { return nil }
        self.identifier = identifier
        displayName = keys.displayName ?? keys.name ?? identifier
        version = keys.version ?? .unstated
        shortVersion = keys.shortVersion ?? version
        urlSchemes = schemes
        shortcutWidget = ShortcutWidget.read(info, among: extensions, reporting: findings)
        entitlements = parts.entitlements
        shown = bundle.shown
        checked = info.status
        directory = bundle.file()
        self.executable = executable
    }
}

extension AppBundle {
    /// The keys of `Info.plist` that declare the app's exported and imported types, with their values. Each call
    /// reads the file again, as `ExtensionBundle.attributes()` does.
    ///
    /// - Throws: a `BundleError`, for example if `Info.plist` has changed since the bundle was checked.
    package func typeDeclarations() throws(BundleError) -> [String: PropertyListValue] {
        let info = try BundleDirectory.info(again: directory, shown: shown, unchangedSince: checked)
        return info.values.filter { TypeDeclarations.keys.contains($0.key) }
    }
}

/// An extension that breaks a rule of packaging. Its app and the app's other extensions stay usable.
public struct RejectedExtension: Sendable, Hashable {
    /// The extension's path within its app, for example `PlugIns/Editor.appex`.
    public let place: String
    /// The `CFBundleIdentifier` in the extension's `Info.plist`; nil if the identifier cannot be read. Annex did not
    /// check whether the identifier belongs to the app.
    public let identifier: String?
    /// The broken rule, and the remedy.
    public let error: BundleError
}
