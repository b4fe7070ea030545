// A share extension with a compose sheet of 10 characters. It loads its attachments side by side while the user types.
import AnnexExtension

final class ComposesAsItLoads: ShareExtension {
    private var loaded: [Int] = []

    func isContentValid(in sheet: ComposeSheet) -> Bool {
        sheet.charactersRemaining = 10 - sheet.contentText.count
        return sheet.contentText.count <= 10
    }

    func configurationItems(in sheet: ComposeSheet) -> [ConfigurationItem] {
        [ConfigurationItem(title: "Loaded", value: "\(loaded.count)")]
    }

    func presentationAnimationDidFinish(in sheet: ComposeSheet) async {
        do {
            try await withThrowingTaskGroup(of: Int.self) { group in
                for attachment in sheet.context.inputItems.flatMap(\.attachments) {
                    group.addTask { try await attachment.loadData(forType: .data).count }
                }
                for try await count in group {
                    loaded.append(count)
                    sheet.reloadConfigurationItems()
                }
            }
        } catch {
            sheet.context.cancelRequest(with: error)
        }
    }

    func didSelectPost(in sheet: ComposeSheet) {
        sheet.context.completeRequest(returning: [ExtensionItem(contentText: "\(loaded.reduce(0, +))")])
    }
}
