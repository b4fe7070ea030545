/// An extension that is installed with a broker.
public struct InstalledExtension: Sendable, Hashable, Identifiable {
    /// The bundle identifier, for example `com.example.pictures.editor`. An extension that was rejected before its
    /// identifier was read has its app's identifier, a slash and its path in the app instead.
    public let id: String
    /// The name to show to a user: the extension's display name, or the containing app's name if it has none.
    public let displayName: String
    /// The extension point in reverse DNS, for example `com.apple.photo-editing`. Empty if the extension was rejected
    /// before its point was read.
    public let extensionPoint: String
    /// The bundle identifier of the app that carries it.
    public let containingApp: String
    /// Whether the extension is switched on.
    public let isEnabled: Bool
    /// Why the extension cannot be used, with file, key and remedy; nil if it can. The app and its other extensions
    /// work all the same.
    public let refusal: BrokerError?

    /// Whether hosts can begin the extension: it is switched on and keeps all rules of packaging.
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
