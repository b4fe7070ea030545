// What an extension's author needs of the model comes with the one import.
@_exported public import AnnexModel

/// An extension's principal object: does one focused task for one extension point.
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
    /// Made anew for each request, so that nothing of one request is left in the next.
    init()

    /// Does the work of one request, and ends with `completeRequest(returning:)` or `cancelRequest(with:)`.
    ///
    /// Called on the process's first thread. Who returns without either has cancelled.
    func beginRequest(with context: ExtensionContext)

    /// Four fifths of the extension point's memory are used up: let go of what can be made again.
    ///
    /// Called on the process's first thread, while a request is at work, from within a look at the channel:
    /// `isCancelled` or `isExpiring` of its context. Once, and again after the extension has used less.
    func didReceiveMemoryWarning()
}

extension AppExtension {
    public func didReceiveMemoryWarning() {}

    /// Says hello to the host and serves its requests until the host needs no more.
    public static func main() {
        ExtensionMain.run(Self.self)
    }
}
