public import AnnexChannel
// An extension's author needs to import only this module, because this module exports AnnexModel too.
@_exported public import AnnexModel

/// The principal object of an extension. The object does one focused task for one extension point.
///
/// ```swift
/// @main final class Shout: AppExtension {
///     func beginRequest(with context: ExtensionContext) {
///         let text = context.inputItems.first?.contentText ?? ""
///         context.completeRequest(returning: [ExtensionItem(contentText: text.uppercased())])
///     }
/// }
/// ```
///
/// If the work of a principal object awaits something, the object implements `respond(to:context:)` instead of
/// `beginRequest(with:)`:
///
/// ```swift
/// @main final class Translate: AppExtension {
///     func respond(to items: [ExtensionItem], context: ExtensionContext) async throws -> [ExtensionItem] {
///         let word = try await context.call(Lookup(items.first?.contentText ?? ""))
///         return [ExtensionItem(contentText: word.text)]
///     }
/// }
/// ```
///
/// An extension has one thread. While a task awaits something, this thread reads the channel, answers the watchdog
/// and works on other requests. `Task`, `async let`, task groups, actors, the main actor and `Task.sleep` all use
/// this thread.
public protocol AppExtension: AnyObject {
    /// Creates the principal object. Each request gets a new object, so that no state leaks into the next request.
    init()

    /// Does the work of one request, and ends it with `completeRequest(returning:)` or `cancelRequest(with:)`.
    ///
    /// This method is called on the process's first thread. If the method returns without one of these two calls, the
    /// request is cancelled. By default, the method starts a task that calls `respond(to:context:)`.
    func beginRequest(with context: ExtensionContext)

    /// Does the work of one request in a task, and returns the items of the answer.
    ///
    /// If the host cancels the request, the task is cancelled. Several requests may be open at once, each with a
    /// principal object of its own. By default, the host gets an error which says that the extension does not serve
    /// requests with items.
    ///
    /// - Throws: any error. The host gets the error in the same form as from `cancelRequest(with:)`.
    func respond(to items: [ExtensionItem], context: ExtensionContext) async throws -> [ExtensionItem]

    /// Registers handlers for messages of the extension's own types: requests, notices and streams. The extension
    /// serves these messages in addition to the requests with items. By default, there are no handlers.
    static func register(in service: inout ChannelService)

    /// Called when four fifths of the extension point's memory limit are used up. Release memory whose contents the
    /// extension can make again, such as a cache.
    ///
    /// The method is called on the process's first thread. The call happens while a request's work reads
    /// `isCancelled` or `isExpiring` of a context, or while this work awaits something. A `SessionExtension` may get
    /// the call between two requests. After one call, the next call can happen once memory use has fallen below seven
    /// tenths of the limit and has risen again.
    func didReceiveMemoryWarning()
}

extension AppExtension {
    /// Works on the request in a task.
    public func beginRequest(with context: ExtensionContext) {
        context.complete { [self] in try await respond(to: context.inputItems, context: context) }
    }

    /// By default, the extension serves no items.
    public func respond(to items: [ExtensionItem], context: ExtensionContext) async throws -> [ExtensionItem] {
        throw ServesNoItems()
    }

    /// By default, there are no handlers.
    public static func register(in service: inout ChannelService) {}

    /// By default, the warning has no effect.
    public func didReceiveMemoryWarning() {}

    /// Sends the hello message to the host, and serves the host's requests until the host ends the session.
    public static func main() {
        ExtensionMain.run(Self.self)
    }
}

/// A principal object that stays for the whole session and gets all requests of the session. Use this protocol for a
/// dialogue with the host.
///
/// The object may return from `beginRequest(with:)` without an answer, keep the context, and answer later. It need
/// not answer requests in the order in which they arrived. If a context is released without an answer, its request is
/// cancelled.
///
/// ```swift
/// @main final class Game: SessionExtension {
///     private var waiting: ExtensionContext?
///
///     func beginRequest(with context: ExtensionContext) { waiting = context }
///
///     func register(in service: inout ChannelService) {
///         service.serve(Move.self) { [self] move in
///             waiting?.completeRequest(returning: [ExtensionItem(contentText: move.name)])
///             return NoContent()
///         }
///     }
/// }
/// ```
public protocol SessionExtension: AppExtension {
    /// Registers handlers that use this object. The extension serves these handlers in addition to the handlers of
    /// the static `register(in:)`. This method is called once, before the first request.
    func register(in service: inout ChannelService)
}

extension SessionExtension {
    /// By default, there are no handlers.
    public func register(in service: inout ChannelService) {}
}
