import AnnexChannel
import AnnexModel
import CBenchDriver

/// The extension that breaks what it is told to break, at the next request of any other kind.
struct Breaking {
    /// What a host sends it beforehand.
    enum Preparation {
        /// The payload's first byte says how.
        static let how: UInt16 = 9
        /// The payload's first word: so many bytes more.
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
                // No answer that any reader understands.
                case _ where how == 2: break
                // More than any policy's limit leaves.
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
