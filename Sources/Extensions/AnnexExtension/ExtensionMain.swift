package import AnnexChannel
internal import AnnexLinux
internal import AnnexModel
internal import AnnexPortal
internal import Glibc

/// The main loop of an extension's process.
enum ExtensionMain {
    static func run<Principal: AppExtension>(_ principal: Principal.Type) {
        do throws(ExtensionFailure) {
            let endpoint = try ExtensionEndpoint.adopt()
            adoptPortal(on: endpoint)
            let service = ExtensionServing.service(of: principal, on: endpoint)
            try endpoint.sayHello()
            try service.serve(endpoint)
        } catch {
            leave(after: error)
        }
    }

    /// Opens the portal, the extension's connection to the broker, if the broker made one. The portal is open before
    /// the principal object is created.
    private static func adoptPortal(on endpoint: borrowing ExtensionEndpoint) {
        // SAFETY: an extension has one thread, and all code below runs on it.
        nonisolated(unsafe) let lookout = ExtensionLookout(endpoint)
        guard let portal = Portal.adopt(heartbeat: { unsafe (try? lookout.poll()) != nil }) else { return }
        unsafe lookout.watchPortal { portal.receive() }
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

/// Serves requests with items: this object passes each request to a principal object.
package final class ExtensionServing {
    private let makePrincipal: () -> any AppExtension
    /// Whether a single principal object gets all requests. If so, the principal object may return from
    /// `beginRequest(with:)` without an answer, and answer later.
    private let stays: Bool
    private let largestPayload: Int
    private let life: ExtensionLife
    private let line: HostLine
    /// Takes a request that belongs to a dialogue, and returns true. If the closure returns false, the request
    /// belongs to no dialogue, and a principal object gets it.
    private var beginDialogue: (ExtensionContext) -> Bool = { _ in false }

    private init(
        _ endpoint: borrowing ExtensionEndpoint, stays: Bool, makePrincipal: @escaping () -> any AppExtension
    ) {
        self.makePrincipal = makePrincipal
        self.stays = stays
        // The host reads no message above the standard limit, even if the channel could carry a larger message.
        largestPayload = min(endpoint.largestPayload, MessageLimits.standard.bytes)
        life = ExtensionLife(ExtensionLookout(endpoint))
        line = HostLine(life.lookout)
    }

    /// The service of an extension. This service serves the requests with items, and runs all handlers that the
    /// principal type registers.
    package static func service<Principal: AppExtension>(
        of principal: Principal.Type, on endpoint: borrowing ExtensionEndpoint
    ) -> ChannelService {
        var service = ChannelService()
        principal.register(in: &service)
        let serving: ExtensionServing
        if let type = principal as? any SessionExtension.Type {
            let staying = type.init()
            staying.register(in: &service)
            serving = ExtensionServing(endpoint, stays: true) { staying }
            if let dialogue = ComposeDialogue(staying, lookout: serving.life.lookout) {
                dialogue.register(in: &service)
                serving.beginDialogue = dialogue.begin
            }
            if let widget = staying as? any WidgetExtension {
                WidgetContext(widget, lookout: serving.life.lookout).register(in: &service)
            }
            serving.life.add(staying)
        } else {
            serving = ExtensionServing(endpoint, stays: false) { principal.init() }
            if let type = principal as? any PhotoEditingExtension.Type {
                let dialogue = EditingDialogue(life: serving.life) { type.init() }
                dialogue.register(in: &service)
                serving.beginDialogue = dialogue.begin
            }
        }
        service.serveItems { (request: consuming IncomingRequest) throws(ExtensionFailure) in
            try serving.answer(request)
        }
        service.handleLifeEvents { serving.life.receive($0) }
        return service
    }

    private func answer(_ request: consuming IncomingRequest) throws(ExtensionFailure) {
        let context: ExtensionContext
        var descriptors = DescriptorList()
        swap(&descriptors, &request.descriptors)
        do {
            let contents = try ContentsList(taking: descriptors, offers: line.offers)
            let message = try RequestMessage(decoding: request.payload)
            let items = try message.inputItems(with: contents)
            context = ExtensionContext(
                request, inputItems: items, largestPayload: largestPayload, life: life,
                progress: ProgressReports(of: message.progress, to: life.lookout))
        } catch {
            return try request.fail(
                code: HandlerFailure.unreadableCode, text: "the request cannot be read: \(error)")
        }
        begin(context)
    }

    private func begin(_ context: ExtensionContext) {
        if beginDialogue(context) { return }
        let principal = makePrincipal()
        guard !stays else { return principal.beginRequest(with: context) }
        life.add(principal)
        principal.beginRequest(with: context)
        guard !context.isWorking else { return context.onAnswer = { [life] in life.remove(principal) } }
        life.remove(principal)
        context.cancelUnlessAnswered()
    }
}
