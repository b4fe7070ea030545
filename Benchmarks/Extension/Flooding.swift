import AnnexChannel
import CBenchDriver

/// The extension that keeps its broker busy for as long as it lives.
enum Flooding {
    /// The event that names the kind of flood. It has no answer.
    static let begin: UInt16 = 11

    static func run() throws {
        let endpoint = try ExtensionEndpoint.adopt(waiting: .block)
        try endpoint.sayHello()
        while true {
            guard let incoming = try endpoint.next() else { continue }
            switch consume incoming {
            case .request(let request):
                let payload = request.payload
                try request.reply(payload)
            case .event(let event):
                guard event.method == begin else { return }
                if event.payload.first == 0 { bench_flood_refusals() }
                bench_flood_signals()
            }
        }
    }
}
