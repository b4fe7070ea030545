import AnnexExtension
import ToDoKit

/// The action `Add to the list`: each line of the selected text becomes an entry. The extension answers with the
/// entries that it added.
@main
final class ToDoAdder: AppExtension {
    func beginRequest(with context: ExtensionContext) {
        let texts = context.inputItems.compactMap(\.contentText)
        context.completeRequest {
            let added = try ToDoList().add(texts)
            let answer = added.isEmpty ? "nothing to add" : added.map { "added \($0)" }.joined(separator: "\n")
            return [ExtensionItem(contentText: answer)]
        }
    }
}
