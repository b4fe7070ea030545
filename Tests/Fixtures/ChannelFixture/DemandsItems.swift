// Requests items from its host that the host did not offer. The request's text says what the extension does.
import AnnexChannel
import AnnexLinux
import AnnexModel

struct DemandsItems: ~Copyable {
    private let endpoint: ExtensionEndpoint
    /// The number of the first offer of a session.
    private let first: UInt64 = 1

    static func run() throws {
        let server = DemandsItems(endpoint: try ExtensionEndpoint.adopt())
        try server.endpoint.sayHello()
        try server.serve()
    }

    private borrowing func serve() throws {
        while true {
            guard let incoming = try endpoint.next() else { continue }
            switch consume incoming {
            case .event(let event): if event.method == LifeEvent.goodbye { return }
            case .request(let request): try answer(request)
            }
        }
    }

    private borrowing func answer(_ request: consuming IncomingRequest) throws {
        let items = try RequestMessage(decoding: request.payload).inputItems(with: contents())
        let outcome =
            switch items.first?.contentText {
            case "guesses": ask(LoadMessage.loadMethod, about: 1_000_000)
            case "guesses zero": ask(LoadMessage.loadMethod, about: 0)
            case "babbles": ask(LoadMessage.loadMethod, payload: [9, 9, 9])
            case "floods": flood()
            case "repeats": (0..<20).map { _ in load() }.last ?? ""
            case "misuses": ask(0xFEFF, about: first)
            default: "no such conduct"
            }
        var answer = ContentsList()
        try request.reply(ReplyMessage([ExtensionItem(contentText: outcome)], collecting: &answer).encoded())
    }

    /// A list that accepts offers, although nothing loads them.
    private func contents() throws -> ContentsList {
        struct Unwanted: RemoteItem {
            let size: Int?
            let isEditable = false
            func open(_ waiting: LoadWaiting) throws(ItemFailure) -> Descriptor { throw .cancelled }
            func open(suspending waiting: LoadWaiting) async throws(ItemFailure) -> Descriptor { throw .cancelled }
            func beginVersion() throws(ItemFailure) -> Descriptor { throw .cancelled }
            func commitVersion() throws(ItemFailure) { throw .cancelled }
        }
        return try ContentsList(taking: DescriptorList(), offers: { Unwanted(size: $0.size) })
    }

    private borrowing func ask(_ method: UInt16, about number: UInt64) -> String {
        ask(method, payload: (try? LoadMessage(number: number).encoded()) ?? [])
    }

    /// Requests the first item until it has arrived.
    private borrowing func load() -> String {
        do {
            while true {
                let reply = try endpoint.callAndWait(
                    LoadMessage.loadMethod, payload: LoadMessage(number: first).encoded())
                if case .pending = try LoadReply(decoding: reply) { continue }
                return "\(reply.count)"
            }
        } catch {
            return "\(error)"
        }
    }

    private borrowing func ask(_ method: UInt16, payload: [UInt8]) -> String {
        do {
            return "\(try endpoint.callAndWait(method, payload: payload).count)"
        } catch {
            return "\(error)"
        }
    }

    private borrowing func flood() -> String {
        while true { _ = ask(LoadMessage.loadMethod, about: first) }
    }
}
