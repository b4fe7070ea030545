// The extension that the conformance tests know, in Swift.
import AnnexChannel

let endpoint = try ExtensionEndpoint.adopt()
try endpoint.sayHello(features: 9)
var isServing = true
while isServing {
    guard let incoming = try endpoint.next() else { continue }
    switch consume incoming {
    case .request(let request):
        let payload = request.payload
        switch request.method {
        case 1: try request.reply(payload)
        case 2: try request.fail(code: 7, text: "no")
        default: try request.fail(code: HandlerFailure.unknownMethodCode, text: "unknown method")
        }
    case .event(let event):
        if event.method == 4 { try endpoint.send(ChannelEvent(method: 5, payload: event.payload)) }
        isServing = event.method != ChannelEvent.goodbye
    }
}
