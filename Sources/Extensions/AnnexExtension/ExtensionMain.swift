internal import AnnexChannel
internal import AnnexLinux
internal import Glibc

/// The main loop of an extension's process.
enum ExtensionMain {
    static func run(_ principal: (some AppExtension).Type) {
        do throws(ExtensionFailure) {
            let endpoint = try ExtensionEndpoint.adopt()
            Faults.tell()
            try endpoint.sayHello()
            try serve(endpoint, principal)
        } catch {
            leave(after: error)
        }
    }

    /// Serves requests until the host says goodbye.
    static func serve(
        _ endpoint: borrowing ExtensionEndpoint, _ principal: (some AppExtension).Type
    ) throws(ExtensionFailure) {
        // The host reads no message above the standard limit, even if the channel could carry a larger one.
        let most = min(endpoint.largestPayload, MessageLimits.standard.bytes)
        let life = ExtensionLife(ExtensionLookout(endpoint))
        while true {
            guard let incoming = try endpoint.next() else { continue }
            switch consume incoming {
            case .request(let request): answer(request, principal, largestPayload: most, life)
            case .event(let event):
                if event.method == LifeEvent.goodbye { return }
                life.hear(event.method)
            }
        }
    }

    private static func answer(
        _ request: consuming IncomingRequest, _ principal: (some AppExtension).Type, largestPayload: Int,
        _ life: ExtensionLife
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
            let contents = try ContentsList(taking: descriptors)
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
        var text = "this extension cannot go on: \(failure)\n"
        if case .system(let error) = failure, error.errno == EBADF {
            text = "this program is an app extension: a host starts it, through Annex\n"
        }
        text.withUTF8 { _ = unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
        exit(1)
    }
}
