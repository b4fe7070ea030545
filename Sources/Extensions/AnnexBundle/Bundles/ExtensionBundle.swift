internal import AnnexLinux
public import AnnexModel

/// An extension that lies inside its containing app and passed every check.
public final class ExtensionBundle: Sendable {
    /// `CFBundleIdentifier`: the app's identifier, a dot, and the extension's own name.
    public let identifier: String
    /// The containing app's `CFBundleIdentifier`.
    public let containingApp: String
    /// The name to show to a user: `CFBundleDisplayName`, otherwise the containing app's `CFBundleName`.
    public let displayName: String
    /// `CFBundleVersion`; if the key is missing, the app's version.
    public let version: BundleVersion
    /// `CFBundleShortVersionString`: the version to show to a user. If the key is missing, this is the app's
    /// `shortVersion`.
    public let shortVersion: BundleVersion
    /// `NSExtensionPointIdentifier`, for example `com.apple.photo-editing`.
    public let extensionPoint: String
    /// `NSExtensionPrincipalClass`; nil if the key is missing.
    public let principalClass: String?
    /// `NSExtensionMainStoryboard`; nil if the key is missing. Annex keeps the value but cannot load a user interface
    /// from a storyboard.
    public let mainStoryboard: String?
    /// The entitlements that the extension asks for.
    public let entitlements: Entitlements
    /// The extension's own directory.
    public let directory: BundleFile
    /// The extension's program for this machine.
    public let executable: BundleFile
    /// The resources that the app shares with its extensions; nil if the app has none.
    package let frameworks: FrameworksDirectory?
    /// Whether `displayName` is the extension's own name and not the app's name.
    let hasOwnName: Bool
    /// The path to show in messages: escaped, and starting with the app's directory.
    let shown: String
    /// The status of `Info.plist` when Annex checked the file.
    private let checked: FileStatus

    /// Reads an extension and reports every fault.
    ///
    /// - Parameters:
    ///   - name: the name of the extension's directory.
    ///   - plugIns: the app's directory `PlugIns`, in which the extension lies.
    ///   - app: the app that carries the extension.
    /// - Returns: nil if the extension cannot be used.
    init?(
        _ name: String, in plugIns: borrowing BundleDirectory, of app: ContainingAppFacts,
        reporting findings: FindingCollector
    ) {
        let opened = findings.attempt { () throws(BundleError) in try BundleDirectory(name, in: plugIns) }
        guard let bundle = opened else { return nil }
        var parts = BundleParts(of: bundle, owner: .extension, reporting: findings)
        guard let info = parts.info, let keys = parts.keys else { return nil }
        let checks = ExtensionChecks(info, app: app, findings: findings)
        checks.checkIdentifier(keys.identifier)
        checks.checkProcessors(parts.processors)
        checks.checkVersions(keys)
        let shownName = checks.displayName(keys)
        let point = checks.point()
        BundleFace.check(bundle, info: info, reporting: findings)
        InfoAdvice.warnOfPlaceholders(in: info, reporting: findings)
        guard let identifier = keys.identifier, let containingApp = app.identifier, let shownName, let point,
            let executable = parts.takeProgram()
        else { return nil }
        self.identifier = identifier
        self.containingApp = containingApp
        displayName = shownName
        hasOwnName = keys.displayName != nil
        version = keys.version ?? app.version ?? .unstated
        shortVersion = keys.shortVersion ?? app.shortVersion ?? version
        extensionPoint = point.identifier
        principalClass = point.principalClass
        mainStoryboard = point.mainStoryboard
        entitlements = parts.entitlements
        checked = info.status
        shown = bundle.shown
        directory = bundle.file()
        frameworks = app.frameworks
        self.executable = executable
    }

    /// The error for a key of `Info.plist` that does not suit the extension's point.
    package func fault(_ key: String, what: String, remedy: String) -> BundleError {
        BundleError(.p2, file: "\(shown)/Info.plist", key: key, what: what, remedy: remedy)
    }

    /// The error for an entitlement that the extension cannot have.
    package func fault(entitlement: String, what: String, remedy: String) -> BundleError {
        let program = executable.path.split(separator: "/").last.map(String.init) ?? ""
        let file = shown + "/" + Escaped(program + BundleParts.entitlementsSuffix, limit: 256).description
        let key = Escaped(entitlement, limit: 256).description
        return BundleError(.entitlements, file: file, key: key, what: what, remedy: remedy)
    }

    /// Reads `NSExtensionAttributes`: all keys that the extension point itself defines. Empty if the key is missing.
    ///
    /// Each call reads the file `Info.plist` again. So an installed extension uses no memory for attributes that no
    /// caller asks for.
    /// - Throws: a `BundleError`, for example if `Info.plist` has changed since the bundle was checked.
    public func attributes() throws(BundleError) -> [String: PropertyListValue] {
        let info = try BundleDirectory.info(again: directory, shown: shown, unchangedSince: checked)
        return try info.dictionary("NSExtension")?.dictionary("NSExtensionAttributes")?.values ?? [:]
    }
}
