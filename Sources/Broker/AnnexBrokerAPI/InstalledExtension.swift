/// An extension that a broker has.
public struct InstalledExtension: Sendable, Hashable, Identifiable {
    /// The bundle identifier, for example `com.example.pictures.editor`. For an extension that was refused before its
    /// identifier counted: its app's, a slash and its place in the app.
    public let id: String
    /// What a user reads: the extension's display name, else the containing app's name.
    public let displayName: String
    /// The extension point in reverse DNS, for example `com.apple.photo-editing`; empty if it was refused before its
    /// point could be read.
    public let extensionPoint: String
    /// The bundle identifier of the app that carries it.
    public let containingApp: String
    /// Whether it is switched on.
    public let isEnabled: Bool
    /// Why it cannot be used, with file, key and remedy; nil if it can. Its app and the app's other extensions can be used
    /// all the same.
    public let refusal: BrokerError?

    /// Whether hosts can begin it: it is switched on, and keeps all rules.
    public var isOffered: Bool { isEnabled && refusal == nil }

    package init(
        id: String, displayName: String, extensionPoint: String, containingApp: String, isEnabled: Bool = true,
        refusal: BrokerError? = nil
    ) {
        self.id = id
        self.displayName = displayName
        self.extensionPoint = extensionPoint
        self.containingApp = containingApp
        self.isEnabled = isEnabled
        self.refusal = refusal
    }
}
