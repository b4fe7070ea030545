// Answers the events of a compose sheet in ways that no honest extension does. The text of the sheet says what the
// extension does.
import AnnexChannel
import AnnexModel
import Glibc

enum Miscomposes {
    static func run() throws {
        let endpoint = try ExtensionEndpoint.adopt()
        var service = ChannelService()
        service.serve(ComposeEvent.self) { event in
            if case .edited("answer in silence") = event {
                // The extension answers the request but never the event, and continues to read.
                if let request = open.take() { try request.reply(completed()) }
                while true {
                    guard let incoming = try endpoint.next() else { continue }
                    // The first event is the goodbye.
                    if case .event = incoming { exit(0) }
                }
            }
            guard case .opened(let text) = event else { return ComposeAnswer(ComposeChange()) }
            var change = ComposeChange()
            let long = String(repeating: "x", count: ComposeLimits.label + 1)
            let item = ComposeState.ConfigurationItem(title: "a", value: "", isTappable: true)
            switch text {
            case "long placeholder": change.placeholder = long
            case "long text": change.contentText = String(repeating: "x", count: ComposeLimits.text + 1)
            case "long title": change.configurationItems = [.init(title: long, value: "", isTappable: false)]
            case "long value": change.configurationItems = [.init(title: "", value: long, isTappable: false)]
            case "many items": change.configurationItems = Array(repeating: item, count: ComposeLimits.items + 1)
            case "escapes":
                change.placeholder = "\u{1B}[2J\u{202E}evil"
                change.contentText = "a\u{1B}]0;x\u{07}\nb"
                change.configurationItems = [.init(title: "\u{1B}[31m", value: "\u{200B}", isTappable: false)]
            case "many options":
                return ComposeAnswer(
                    change, options: ComposeOptions(titles: Array(repeating: "x", count: 513), chosen: nil))
            case "wrong choice": return ComposeAnswer(change, options: ComposeOptions(titles: ["x"], chosen: 1))
            case "long option": return ComposeAnswer(change, options: ComposeOptions(titles: [long], chosen: nil))
            case "flood":
                while true { try endpoint.sendAndWait(change) }
            default: break
            }
            return ComposeAnswer(change)
        }
        service.serveItems { (request: consuming IncomingRequest) in open = consume request }
        try endpoint.sayHello()
        try service.serve(endpoint)
    }

    /// The request with the items stays open. Only the first thread uses it.
    private nonisolated(unsafe) static var open: IncomingRequest?

    private static func completed() throws -> [UInt8] {
        var contents = ContentsList()
        return try ReplyMessage([ExtensionItem(contentText: "silent")], collecting: &contents).encoded()
    }
}
