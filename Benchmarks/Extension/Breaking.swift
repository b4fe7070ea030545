import AnnexChannel
import AnnexExtension
import CBenchDriver

/// The extension that breaks a limit. A request names the limit, and the extension breaks it at the next request of
/// another kind.
struct Breaking {
    /// The request that names the limit.
    enum Preparation {
        /// The payload's first byte names the way in which the extension ends.
        static let how: UInt16 = 9
        /// The payload's first word is the number of bytes to take.
        static let grow: UInt16 = 10
    }

    private var how: UInt8 = 0

    mutating func run() throws {
        let endpoint = try ExtensionEndpoint.adopt(waiting: .adaptive)
        try endpoint.sayHello()
        while true {
            guard let incoming = try endpoint.next() else { continue }
            switch consume incoming {
            case .request(let request):
                let payload = request.payload
                switch request.method {
                case Preparation.how: how = payload.first ?? 0
                case Preparation.grow: bench_use_memory(Self.count(payload))
                case _ where how == 1: bench_call_denied()
                // An answer that no reader can decode.
                case _ where how == 2: break
                // This is more than the limit of any policy allows.
                default: bench_use_memory(64 << 20)
                }
                try request.reply(payload.isEmpty ? [0xFF] : payload)
            case .event(let event): if event.method == ChannelEvent.goodbye { return }
            }
        }
    }

    private static func count(_ payload: [UInt8]) -> Int {
        payload.prefix(8).reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}
