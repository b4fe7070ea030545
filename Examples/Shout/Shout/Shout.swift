import AnnexExtension

@main
final class Shout: AppExtension {
    func beginRequest(with context: ExtensionContext) {
        let text = context.inputItems.first?.contentText ?? ""
        context.completeRequest(returning: [ExtensionItem(contentText: text.uppercased())])
    }
}
