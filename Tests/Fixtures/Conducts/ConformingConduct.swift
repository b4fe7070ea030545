public import AnnexChannel

/// The conduct of every extension of the conformance suite, over any transport. The extension answers method 1 with the
/// bytes of the request. Method 2 fails with code 7 and "no". The extension answers event 4 with event 5. The extension
/// states feature 9, and ends at the goodbye.
public enum ConformingConduct {
    public static func serve(_ endpoint: borrowing ExtensionEndpoint) throws(ExtensionFailure) {
        try endpoint.sayHello(features: 9)
        while true {
            guard let incoming = try endpoint.next() else { continue }
            switch consume incoming {
            case .request(let request): try answer(request)
            case .event(let event):
                if event.method == ChannelEvent.goodbye { return }
                if event.method == 4 { try endpoint.sendAndWait(ChannelEvent(method: 5, payload: event.payload)) }
            }
        }
    }

    private static func answer(_ request: consuming IncomingRequest) throws(ExtensionFailure) {
        let payload = request.payload
        switch request.method {
        case 1: try request.reply(payload)
        case 2: try request.fail(code: 7, text: "no")
        default: try request.fail(code: HandlerFailure.unknownMethodCode, text: "unknown method")
        }
    }
}
