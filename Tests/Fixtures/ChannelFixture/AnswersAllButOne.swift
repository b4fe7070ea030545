// Does not answer the first request, but answers all others at once.
import AnnexChannel
import AnnexModel

struct AnswersAllButOne: ~Copyable {
    private let endpoint: ExtensionEndpoint
    /// The request is kept here, because a request that is released would be answered.
    private var kept: IncomingRequest?
    private var keepsOne = false

    static func run() throws {
        let endpoint = try ExtensionEndpoint.adopt()
        try endpoint.sayHello()
        var server = AnswersAllButOne(endpoint: endpoint)
        try server.serve()
    }

    private mutating func serve() throws {
        while true {
            guard let incoming = try endpoint.next() else { continue }
            switch consume incoming {
            case .request(let request): try take(request)
            case .event(let event): if event.method == LifeEvent.goodbye { return }
            }
        }
    }

    private mutating func take(_ request: consuming IncomingRequest) throws {
        guard keepsOne else {
            keepsOne = true
            kept = consume request
            return
        }
        var contents = ContentsList()
        let items = [ExtensionItem(contentText: "answered")]
        try request.reply(ReplyMessage(items, collecting: &contents).encoded())
    }
}
