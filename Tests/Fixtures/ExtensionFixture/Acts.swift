// An action with a view. The text of the item says what the extension does.
import AnnexExtension

final class Acts: ActionExtension {
    private var presses = 0
    private var isLoaded = false

    func view(in sheet: ActionSheet) -> ContentNode {
        if presses > 2, conduct(sheet) == "too large" { return .text(String(repeating: "x", count: 1 << 20)) }
        return [
            .text("pressed \(presses)\(isLoaded ? ", loaded" : "")"), .button("Press", action: "press"),
            .button("Done", action: "done"),
        ]
    }

    func perform(_ action: ContentAction, in sheet: ActionSheet) {
        presses += 1
        if action.identifier == "done" {
            sheet.context.completeRequest(returning: [ExtensionItem(contentText: "\(presses)")])
        }
    }

    func presentationAnimationDidFinish(in sheet: ActionSheet) {
        isLoaded = true
        sheet.reloadView()
    }

    private func conduct(_ sheet: ActionSheet) -> String { sheet.context.inputItems.first?.contentText ?? "" }
}
