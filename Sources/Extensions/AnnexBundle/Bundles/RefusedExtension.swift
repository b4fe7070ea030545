/// An extension that breaks a rule of packaging. Its app and the app's other extensions stay usable.
public struct RefusedExtension: Sendable, Hashable {
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
