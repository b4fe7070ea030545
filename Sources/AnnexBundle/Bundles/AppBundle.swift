internal import AnnexLinux

/// A containing app on disk, checked: its own program, and the extensions that it carries.
///
/// Directories and executables stay open, so that what is launched later is what was checked now.
public final class AppBundle: Sendable {
    /// `CFBundleIdentifier`.
    public let identifier: String
    /// What a user reads: `CFBundleDisplayName`, else `CFBundleName`, else the identifier.
    public let displayName: String
    public let info: InfoDictionary
    /// The app's own directory.
    public let directory: BundleFile
    /// The app's own program.
    public let executable: BundleFile
    /// The extensions under `PlugIns/`, by identifier.
    public let extensions: [ExtensionBundle]

    /// Most extensions of one app.
    private static let mostExtensions = 64

    /// Opens and checks an app and everything in it; the first broken rule is thrown.
    public static func open(_ path: String) throws(BundleError) -> AppBundle {
        try AppBundle(checking: BundleDirectory(app: path))
    }

    private init(checking bundle: consuming BundleDirectory) throws(BundleError) {
        try bundle.checkName(suffix: ".app")
        try bundle.checkLinks()
        info = try bundle.info()
        identifier = try info.identifier("CFBundleIdentifier")
        let name = try info.text("CFBundleName")
        displayName = try info.text("CFBundleDisplayName") ?? name ?? identifier
        executable = try bundle.executable(info, rule: .p4)
        extensions = try Self.extensions(of: bundle, app: identifier, appName: name)
        directory = try bundle.file()
    }

    private static func extensions(
        of bundle: borrowing BundleDirectory, app: String, appName: String?
    ) throws(BundleError) -> [ExtensionBundle] {
        guard try bundle.entries(of: "", atMost: BundleDirectory.mostEntries).contains(where: { $0.name == "PlugIns" })
        else { return [] }
        let plugIns = try BundleDirectory("PlugIns", in: bundle)
        let names = try plugIns.entries(of: "", atMost: BundleDirectory.mostEntries).compactMap(\.name).filter {
            $0.hasSuffix(".appex")
        }
        guard names.count <= mostExtensions else {
            throw BundleError(
                .p1, file: plugIns.shown, "holds more than \(mostExtensions) extensions", mend: "ship fewer")
        }
        var extensions: [ExtensionBundle] = []
        for name in names.sorted() {
            let found = try ExtensionBundle(
                checking: BundleDirectory(name, in: plugIns), app: app, appName: appName)
            guard !extensions.contains(where: { $0.identifier == found.identifier }) else {
                throw found.info.fault(
                    "CFBundleIdentifier", "is another extension's of the same app", rule: .p3,
                    mend: "give each extension an identifier of its own")
            }
            extensions.append(found)
        }
        return extensions
    }
}
