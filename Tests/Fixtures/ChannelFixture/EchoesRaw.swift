// Uses only the raw channel. It answers every request with the bytes of the request, until the host says goodbye.
import AnnexChannel

enum EchoesRaw {
    static func run() throws {
        let endpoint = try ExtensionEndpoint.adopt()
        try endpoint.sayHello()
        var isServing = true
        while isServing {
            guard let incoming = try endpoint.next() else { continue }
            switch consume incoming {
            case .request(let request):
                let payload = request.payload
                try request.reply(payload)
            case .event(let event): isServing = event.method != ChannelEvent.goodbye
            }
        }
    }
}
