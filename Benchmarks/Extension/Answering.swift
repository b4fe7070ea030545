import AnnexChannel
import AnnexExtension
import BenchMessages
import CBenchDriver

/// The extension that all measurements of Annex call. It verifies each message and writes the answer, like the second
/// process of every other contender. It has several bundles. The last part of a bundle's name states how this bundle
/// differs.
@main
enum Answering {
    static func main() throws {
        // In the sandbox, the program's name is the bundle's identifier. Swift's own list of arguments is not used,
        // because it needs /proc.
        switch String(cString: bench_program()).split(separator: ".").last {
        case "spinning": try serveBytes(.spin)
        case "adapting": try serveBytes(.adaptive)
        case "sleeping": try serveBytes(.block)
        case "typed": try serveMessages(.spin)
        case "sealing": try serveMemory(.spin)
        case "breaking":
            var breaking = Breaking()
            try breaking.run()
        case "flooding": try Flooding.run()
        case "beginning": Beginning.main()
        case "awaiting": Awaiting.main()
        case "yielding": Yielding.main()
        case "composing": Composing.main()
        case "reading": Reading.main()
        case "loading": Loading.main()
        case let other: throw Failure.noSuchBundle(other.map(String.init) ?? "")
        }
    }

    private enum Failure: Error {
        case noSuchBundle(String)
    }

    private static func serveBytes(_ waiting: WaitingStyle) throws {
        let endpoint = try ExtensionEndpoint.adopt(waiting: waiting)
        try endpoint.sayHello()
        let server = Server()
        try endpoint.serve { _, request, reply in
            reply.withUnsafeMutableBytes { server.answer(request, into: $0) }
        } post: { method, message in
            guard method != ChannelEvent.goodbye else { return false }
            server.take(message)
            return true
        }
    }

    private static func serveMessages(_ waiting: WaitingStyle) throws {
        let server = Server()
        var service = ChannelService()
        service.serve(Words.self) { words in server.answer(words) }
        try service.run(waiting: waiting)
    }

    /// Writes each answer in place into new memory and seals it. The driver's own questions get ordinary answers
    /// without sealed memory.
    private static func serveMemory(_ waiting: WaitingStyle) throws {
        let endpoint = try ExtensionEndpoint.adopt(waiting: waiting)
        try endpoint.sayHello()
        let server = Server()
        while true {
            guard let incoming = try endpoint.next() else { continue }
            switch consume incoming {
            case .request(let request):
                let payload = request.payload
                guard payload.first == UInt8(bench_wants_reply) else {
                    try request.reply(server.answer(payload))
                    continue
                }
                let memory = try SealedMemory.make(count: Int(request.accepts.bytes)) { bytes in
                    bytes.withUnsafeMutableBytes { _ = server.answer(payload, into: $0) }
                }
                try request.reply(sealed: SealedPieces(memory))
            case .event(let event): if event.method == ChannelEvent.goodbye { return }
            }
        }
    }
}
