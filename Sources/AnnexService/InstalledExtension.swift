/// An extension that a broker has.
public struct InstalledExtension: Sendable, Hashable, Identifiable {
    /// The bundle identifier, for example `com.example.pictures.editor`.
    public let id: String
    /// What a user reads: the extension's display name, else the containing app's name.
    public let displayName: String
    /// The extension point in reverse DNS, for example `com.apple.photo-editing`.
    public let extensionPoint: String
    /// The bundle identifier of the app that carries it.
    public let containingApp: String
    /// Whether it is on offer; else it is switched off.
    public let isEnabled: Bool

    package init(
        id: String, displayName: String, extensionPoint: String, containingApp: String, isEnabled: Bool = true
    ) {
        self.id = id
        self.displayName = displayName
        self.extensionPoint = extensionPoint
        self.containingApp = containingApp
        self.isEnabled = isEnabled
    }
}
