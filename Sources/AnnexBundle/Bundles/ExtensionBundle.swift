internal import AnnexLinux

/// An extension inside its containing app, checked.
public final class ExtensionBundle: Sendable {
    /// `CFBundleIdentifier`: the app's, a dot, and a name of its own.
    public let identifier: String
    /// The containing app's `CFBundleIdentifier`.
    public let containingApp: String
    /// What a user reads: `CFBundleDisplayName`, else the containing app's `CFBundleName`.
    public let displayName: String
    /// `NSExtensionPointIdentifier`, for example `com.apple.photo-editing`.
    public let extensionPoint: String
    /// `NSExtensionPrincipalClass`, where there is one.
    public let principalClass: String?
    /// `NSExtensionMainStoryboard`, where there is one: kept, but it names a user interface that does not exist here.
    public let mainStoryboard: String?
    /// `NSExtensionAttributes`: the extension point's own keys, all kept.
    public let attributes: [String: PropertyListValue]
    public let info: InfoDictionary
    /// The extension's own directory.
    public let directory: BundleFile
    /// The extension's program.
    public let executable: BundleFile

    init(checking bundle: consuming BundleDirectory, app: String, appName: String?) throws(BundleError) {
        info = try bundle.info()
        identifier = try info.identifier("CFBundleIdentifier")
        containingApp = app
        guard identifier.hasPrefix(app + ".") else {
            throw info.fault(
                "CFBundleIdentifier", "is \(identifier), outside its app's \(app)", rule: .p3,
                mend: "start it with \(app). (an extension belongs to one app and cannot be moved into another)")
        }
        guard let name = try info.text("CFBundleDisplayName", rule: .p6) ?? appName else {
            throw info.fault(
                "CFBundleDisplayName", "is missing, and so is the app's CFBundleName", rule: .p6, mend: "add one")
        }
        displayName = name
        guard let point = try info.dictionary("NSExtension") else {
            throw info.fault("NSExtension", "is missing", rule: .p2, mend: "say which extension point it serves")
        }
        extensionPoint = try point.identifier("NSExtensionPointIdentifier")
        principalClass = try point.text("NSExtensionPrincipalClass")
        mainStoryboard = try point.text("NSExtensionMainStoryboard")
        attributes = try point.dictionary("NSExtensionAttributes")?.values ?? [:]
        executable = try bundle.executable(info, rule: .p7)
        try bundle.checkInterpreter(of: executable)
        directory = try bundle.file()
    }

    /// That a broker has no sandbox for the point which the extension names.
    package func pointFault(_ what: String, mend: String) -> BundleError {
        info.fault("NSExtensionPointIdentifier", what, rule: .p2, mend: mend)
    }
}
