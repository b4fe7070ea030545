internal import AnnexLinux

/// An extension inside its containing app that passed every check.
public final class ExtensionBundle: Sendable {
    /// `CFBundleIdentifier`: the app's identifier, a dot, and a name of the extension's own.
    public let identifier: String
    /// The containing app's `CFBundleIdentifier`.
    public let containingApp: String
    /// The name to show to a user: `CFBundleDisplayName`, else the containing app's `CFBundleName`.
    public let displayName: String
    /// `NSExtensionPointIdentifier`, for example `com.apple.photo-editing`.
    public let extensionPoint: String
    /// `NSExtensionPrincipalClass`; nil if the key is missing.
    public let principalClass: String?
    /// `NSExtensionMainStoryboard`; nil if the key is missing. Annex keeps the value but has no user interface to load.
    public let mainStoryboard: String?
    /// The extension's own directory.
    public let directory: BundleFile
    /// The extension's program.
    public let executable: BundleFile
    /// The path to show in messages: escaped, and starting with the app's directory.
    let shown: String
    /// The status of `Info.plist` when it was checked.
    private let checked: FileStatus

    init(checking bundle: consuming BundleDirectory, app: String, appName: String?) throws(BundleError) {
        let info = try bundle.info()
        checked = info.status
        shown = bundle.shown
        identifier = try info.identifier("CFBundleIdentifier")
        containingApp = app
        guard identifier.hasPrefix(app + ".") else {
            throw info.fault(
                "CFBundleIdentifier", what: "is \(identifier), which does not begin with its app's \(app).", rule: .p3,
                remedy: "start it with \(app). (an extension belongs to one app and cannot be moved into another)")
        }
        guard let name = try info.text("CFBundleDisplayName", rule: .p6) ?? appName else {
            throw info.fault(
                "CFBundleDisplayName", what: "is missing, and so is the app's CFBundleName", rule: .p6,
                remedy: "add one")
        }
        displayName = name
        guard let point = try info.dictionary("NSExtension") else {
            throw info.fault(
                "NSExtension", what: "is missing", rule: .p2, remedy: "add a dictionary that names the extension point")
        }
        extensionPoint = try point.identifier("NSExtensionPointIdentifier")
        principalClass = try point.text("NSExtensionPrincipalClass")
        mainStoryboard = try point.text("NSExtensionMainStoryboard")
        _ = try point.dictionary("NSExtensionAttributes")
        executable = try bundle.executable(info, rule: .p7)
        try bundle.checkInterpreter(of: executable)
        directory = try bundle.file()
    }

    /// The error for a key of `Info.plist` that does not suit the extension's point.
    package func fault(_ key: String, what: String, remedy: String) -> BundleError {
        BundleError(.p2, file: "\(shown)/Info.plist", key: key, what: what, remedy: remedy)
    }

    /// Reads `NSExtensionAttributes`: all keys that the extension point defines for itself. Empty if the key is
    /// missing.
    ///
    /// Each call reads the bundle again, so that an installed extension costs no memory for attributes that are never
    /// used.
    /// - Throws: a `BundleError`, also if `Info.plist` has changed since the bundle was checked.
    public func attributes() throws(BundleError) -> [String: PropertyListValue] {
        let info = try BundleDirectory(again: directory, shown: shown).info()
        guard info.status.isUnchanged(since: checked) else {
            throw BundleError(
                .p2, file: "\(shown)/Info.plist", what: "has changed since it was checked",
                remedy: "install the app again")
        }
        return try info.dictionary("NSExtension")?.dictionary("NSExtensionAttributes")?.values ?? [:]
    }
}
