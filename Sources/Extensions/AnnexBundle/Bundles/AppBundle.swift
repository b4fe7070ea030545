internal import AnnexLinux

/// A containing app on disk that passed every check: its own program, and the extensions that it carries.
///
/// Directories and executables stay open. A later launch therefore runs exactly the files that were checked.
public final class AppBundle: Sendable {
    /// `CFBundleIdentifier`.
    public let identifier: String
    /// The name to show to a user: `CFBundleDisplayName`, else `CFBundleName`, else the identifier.
    public let displayName: String
    /// The app's own directory.
    public let directory: BundleFile
    /// The app's own program.
    public let executable: BundleFile
    /// The extensions under `PlugIns/` that keep all rules, sorted by the names of their directories.
    public let extensions: [ExtensionBundle]
    /// The extensions under `PlugIns/` that break a rule. The app and its other extensions stay usable.
    public let rejected: [RejectedExtension]

    /// The most extensions that one app may carry.
    private static let mostExtensions = 64

    /// Opens an app, and checks the app and its extensions.
    ///
    /// - Throws: the first rule that the app itself breaks. An extension that breaks a rule is listed in `rejected`
    ///   instead.
    public static func open(_ path: String) throws(BundleError) -> AppBundle {
        try AppBundle(checking: BundleDirectory(app: path))
    }

    private init(checking bundle: consuming BundleDirectory) throws(BundleError) {
        try bundle.checkName(suffix: ".app")
        try bundle.checkLinks()
        let info = try bundle.info()
        identifier = try info.identifier("CFBundleIdentifier")
        let name = try info.text("CFBundleName")
        displayName = try info.text("CFBundleDisplayName") ?? name ?? identifier
        executable = try bundle.executable(info, rule: .p4)
        (extensions, rejected) = try Self.extensions(of: bundle, app: identifier, appName: name)
        directory = try bundle.file()
    }

    private static func extensions(
        of bundle: borrowing BundleDirectory, app: String, appName: String?
    ) throws(BundleError) -> ([ExtensionBundle], [RejectedExtension]) {
        guard try bundle.entries(of: "", atMost: BundleDirectory.mostEntries).contains(where: { $0.name == "PlugIns" })
        else { return ([], []) }
        let plugIns = try BundleDirectory("PlugIns", in: bundle)
        let names = try plugIns.entries(of: "", atMost: BundleDirectory.mostEntries).compactMap(\.name).filter {
            $0.hasSuffix(".appex")
        }
        guard names.count <= mostExtensions else {
            throw BundleError(
                .p1, file: plugIns.shown, what: "holds more than \(mostExtensions) extensions",
                remedy: "remove extensions")
        }
        var extensions: [ExtensionBundle] = []
        var rejected: [RejectedExtension] = []
        for name in names.sorted() {
            do throws(BundleError) {
                let found = try ExtensionBundle(
                    checking: BundleDirectory(name, in: plugIns), app: app, appName: appName)
                try checkIsAlone(found, among: extensions)
                extensions.append(found)
            } catch {
                rejected.append(RejectedExtension(error, name: name, in: plugIns))
            }
        }
        return (extensions, rejected)
    }

    private static func checkIsAlone(
        _ found: ExtensionBundle, among extensions: [ExtensionBundle]
    ) throws(BundleError) {
        guard extensions.contains(where: { $0.identifier == found.identifier }) else { return }
        throw BundleError(
            .p3, file: "\(found.shown)/Info.plist", key: "CFBundleIdentifier",
            what: "is also the identifier of another extension of the app",
            remedy: "give each extension an identifier of its own")
    }
}

/// An extension that breaks a rule of packaging. Its app and the app's other extensions stay usable.
public struct RejectedExtension: Sendable, Hashable {
    /// The extension's path within its app, for example `PlugIns/Editor.appex`.
    public let place: String
    /// The `CFBundleIdentifier` in the extension's `Info.plist`; nil if it cannot be read. Annex has not checked that
    /// the identifier belongs to the app.
    public let identifier: String?
    /// The broken rule, and the remedy.
    public let error: BundleError

    init(_ error: BundleError, name: String, in plugIns: borrowing BundleDirectory) {
        place = "PlugIns/\(name)"
        identifier = try? BundleDirectory(name, in: plugIns).info().identifier("CFBundleIdentifier")
        self.error = error
    }
}
