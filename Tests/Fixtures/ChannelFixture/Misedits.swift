// Takes part in a dialogue about a picture in ways that no honest extension does. The version of the earlier edit
// says what the extension does.
import AnnexChannel
import AnnexModel
import Glibc

enum Misedits {
    static func run() throws {
        let endpoint = try ExtensionEndpoint.adopt()
        var service = ChannelService()
        var conduct = ""

        let answer = { (items: [ExtensionItem]) throws in
            var contents = ContentsList()
            if let request = open.take() { try request.reply(ReplyMessage(items, collecting: &contents).encoded()) }
        }

        service.serve(EditingEvent.self) { event in
            switch event {
            case .opened(let earlier): conduct = earlier?.formatVersion ?? ""
            case .started where conduct == "closed": return EditingAnswer(isOpen: false)
            case .finished where conduct == "no picture": try answer([ExtensionItem(contentText: "none")])
            case .acted where conduct == "answer in silence":
                try answer([ExtensionItem(contentText: "none")])
                while true {
                    guard let incoming = try endpoint.next() else { continue }
                    // The first event is the goodbye.
                    if case .event = incoming { exit(0) }
                }
            case .acted where conduct == "large view":
                let text = String(repeating: "x", count: 60_000)
                return EditingAnswer(view: try ContentMessage(.text(text), within: ContentLimits(textBytes: 100_000)))
            case .leaving: return EditingAnswer(isAffirmed: true)
            default: break
            }
            return EditingAnswer(isAffirmed: true)
        }
        service.serveItems { (request: consuming IncomingRequest) in
            open = consume request
            if conduct == "early" { try? answer([ExtensionItem(contentText: "none")]) }
        }
        try endpoint.sayHello()
        try service.serve(endpoint)
    }

    /// The request with the picture stays open. Only the first thread uses it.
    private nonisolated(unsafe) static var open: IncomingRequest?
}
