import AnnexExtension
import ToDoKit

/// The action `Add to the list`: each line of the selected text becomes an entry.
@main
final class ToDoAdder: AppExtension {
    func beginRequest(with context: ExtensionContext) {
        let lines = context.inputItems.compactMap(\.contentText).flatMap { $0.split(separator: "\n").map(String.init) }
        context.completeRequest {
            let list = try ToDoList()
            let added = try list.add(lines)
            return [ExtensionItem(contentText: "added \(added), \(list.entries.count) to do")]
        }
    }
}
