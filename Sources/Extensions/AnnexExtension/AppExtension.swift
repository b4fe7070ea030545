internal import AnnexChannel
internal import AnnexLinux
// An extension's author imports only this module and gets the model with it.
@_exported public import AnnexModel
internal import Glibc

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

    /// Called when four fifths of the extension point's memory limit are used up. Release memory whose contents can be
    /// made again.
    ///
    /// Called on the process's first thread during a request, from inside `isCancelled` or `isExpiring` of its context.
    /// It is called only once. It is called again only if memory use has meanwhile fallen below seven tenths of the
    /// limit.
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

/// The main loop of an extension's process.
enum ExtensionMain {
    static func run(_ principal: (some AppExtension).Type) {
        do throws(ExtensionFailure) {
            let endpoint = try ExtensionEndpoint.adopt()
            Faults.tell()
            try endpoint.sayHello()
            try serve(endpoint, principal: principal)
        } catch {
            leave(after: error)
        }
    }

    /// Serves requests until the host says goodbye.
    static func serve(
        _ endpoint: borrowing ExtensionEndpoint, principal: (some AppExtension).Type
    ) throws(ExtensionFailure) {
        // The host reads no message above the standard limit, even if the channel could carry a larger one.
        let most = min(endpoint.largestPayload, MessageLimits.standard.bytes)
        let life = ExtensionLife(ExtensionLookout(endpoint))
        while true {
            guard let incoming = try endpoint.next() else { continue }
            switch consume incoming {
            case .request(let request): answer(request, principal: principal, largestPayload: most, life: life)
            case .event(let event):
                if event.method == LifeEvent.goodbye { return }
                life.receive(event.method)
            }
        }
    }

    private static func answer(
        _ request: consuming IncomingRequest, principal: (some AppExtension).Type, largestPayload: Int,
        life: ExtensionLife
    ) {
        guard request.method == RequestMessage.method else {
            // If the host is gone, the failure has no recipient.
            return _ = try? request.fail(
                code: HandlerFailure.unknownMethodCode, text: "unknown method: this extension serves items")
        }
        let items: [ExtensionItem]
        var descriptors = DescriptorList()
        swap(&descriptors, &request.descriptors)
        do {
            let contents = try ContentsList(taking: descriptors, offers: HostItems(life.lookout).offers)
            items = try RequestMessage(decoding: request.payload).inputItems(with: contents)
        } catch {
            return _ = try? request.fail(
                code: HandlerFailure.unreadableCode, text: "the request cannot be read: \(error)")
        }
        let context = ExtensionContext(request, inputItems: items, largestPayload: largestPayload, life: life)
        let worker = principal.init()
        life.principal = worker
        defer { life.principal = nil }
        worker.beginRequest(with: context)
        context.cancelUnlessAnswered()
    }

    private static func leave(after failure: ExtensionFailure) {
        if failure == .ended { exit(0) }
        var text = "this extension cannot continue: \(failure)\n"
        if case .system(let error) = failure, error.errno == EBADF {
            text = "this program is an app extension: a host starts it, through Annex\n"
        }
        text.withUTF8 { _ = unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
        exit(1)
    }
}
