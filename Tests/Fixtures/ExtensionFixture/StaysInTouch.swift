// Keeps each request of items open until a typed request names its text. For the text "caption", it requests a caption
// from its host.
import AnnexChannel
import AnnexExtension
import Conducts

final class StaysInTouch: SessionExtension {
    private var open: [String: ExtensionContext] = [:]

    func beginRequest(with context: ExtensionContext) {
        let text = context.inputItems.first?.contentText ?? ""
        switch text {
        case "caption":
            context.completeRequest {
                [ExtensionItem(contentText: try context.callAndWait(Caption()).text)]
            }
        case "forgotten": break
        default: open[text] = context
        }
    }

    func register(in service: inout ChannelService) {
        service.serve(Word.self) { [self] word in
            guard let context = open.removeValue(forKey: word.text) else {
                return Word("\(open.keys.sorted().joined(separator: " "))")
            }
            context.completeRequest(returning: [ExtensionItem(contentText: word.text.uppercased())])
            return word
        }
    }
}
