/// An extension of an app that breaks a rule of packaging. Its app and the app's other extensions are used without it.
public struct RefusedExtension: Sendable, Hashable {
    /// Its place in the app, for example `PlugIns/Editor.appex`.
    public let place: String
    /// What its `Info.plist` gives as `CFBundleIdentifier`; nil if that cannot be read. Nothing is proven of it.
    public let identifier: String?
    /// The rule that it breaks, and the remedy.
    public let error: BundleError

    init(_ error: BundleError, name: String, in plugIns: borrowing BundleDirectory) {
        place = "PlugIns/\(name)"
        identifier = try? BundleDirectory(name, in: plugIns).info().identifier("CFBundleIdentifier")
        self.error = error
    }
}
