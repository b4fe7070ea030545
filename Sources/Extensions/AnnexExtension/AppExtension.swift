// An extension's author imports only this module and gets the model with it.
@_exported public import AnnexModel

/// The principal object of an extension. It does one focused task for one extension point.
///
/// ```swift
/// @main final class Shout: AppExtension {
///     func beginRequest(with context: ExtensionContext) {
///         let text = context.inputItems.first?.contentText ?? ""
///         context.completeRequest(returning: [ExtensionItem(contentText: text.uppercased())])
///     }
/// }
/// ```
public protocol AppExtension: AnyObject {
    /// Creates the principal object. Each request gets a new one, so that no state leaks into the next request.
    init()

    /// Does the work of one request, and ends it with `completeRequest(returning:)` or `cancelRequest(with:)`.
    ///
    /// Called on the process's first thread. Returning without calling either cancels the request.
    func beginRequest(with context: ExtensionContext)

    /// Called when four fifths of the extension point's memory limit are used up. Release what can be made again.
    ///
    /// Called on the process's first thread during a request, from inside `isCancelled` or `isExpiring` of its context.
    /// Called once, and again only after memory use has fallen in between.
    func didReceiveMemoryWarning()
}

extension AppExtension {
    /// By default, the warning has no effect.
    public func didReceiveMemoryWarning() {}

    /// Sends the hello to the host, and serves its requests until the host ends the session.
    public static func main() {
        ExtensionMain.run(Self.self)
    }
}
