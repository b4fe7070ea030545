// A share extension with a compose sheet of 10 characters. The text of the item to share says what the extension
// does.
import AnnexExtension

final class Composes: ShareExtension {
    let placeholder = "Say something"
    private var category = "None"
    private var presses = 0

    private func conduct(_ sheet: ComposeSheet) -> String { sheet.context.inputItems.first?.contentText ?? "" }

    func isContentValid(in sheet: ComposeSheet) -> Bool {
        switch sheet.contentText {
        case "hang": while true {}
        case "answer": sheet.context.completeRequest(returning: [ExtensionItem(contentText: "early")])
        case "crash": fatalError("as told")
        case "shout": sheet.contentText = "SHOUT"
        default: break
        }
        sheet.charactersRemaining = 10 - sheet.contentText.count
        return sheet.contentText.count <= 10
    }

    func configurationItems(in sheet: ComposeSheet) -> [ConfigurationItem] {
        [
            ConfigurationItem(title: "Category", value: category, options: { ["None", "Holiday", "Work"] }) {
                [self] in category = ["None", "Holiday", "Work"][$0]
            },
            ConfigurationItem(title: "Pictures", value: "\(sheet.context.inputItems.first?.attachments.count ?? 0)"),
        ]
    }

    func presentationAnimationDidFinish(in sheet: ComposeSheet) {
        category = "Loaded"
        sheet.reloadConfigurationItems()
        category = "Work"
        sheet.reloadConfigurationItems()
    }

    func view(in sheet: ComposeSheet) -> ContentNode? {
        guard conduct(sheet) == "draws" else { return nil }
        return [.text("pressed \(presses) times"), .button("Press", action: "press"), .button("Done", action: "done")]
    }

    func perform(_ action: ContentAction, in sheet: ComposeSheet) {
        presses += 1
        if action.identifier == "done" {
            sheet.context.completeRequest(returning: [ExtensionItem(contentText: "\(presses)")])
        }
    }

    func didSelectPost(in sheet: ComposeSheet) {
        sheet.context.completeRequest(returning: [ExtensionItem(contentText: "\(category): \(sheet.contentText)")])
    }

    func didSelectCancel(in sheet: ComposeSheet) {
        if conduct(sheet) == "lingers" { while true {} }
        sheet.context.cancelRequest(with: ExtensionError(code: 7, domain: "com.example", localizedDescription: "later"))
    }
}
