import AnnexExtension

/// An extension that posts up to nine pictures to a category, with a text of up to 200 characters.
@main
final class MyPicture: ShareExtension {
    let placeholder = "Say something about the pictures"

    private static let longest = 200
    private static let categories = ["Everyday", "Holiday", "Work"]

    private var category = 0
    /// The sizes of the pictures that have been loaded, in bytes.
    private var loaded: [Int] = []

    private func pictures(of sheet: ComposeSheet) -> [ItemProvider] {
        sheet.context.inputItems.flatMap(\.attachments).filter { $0.hasItemConforming(to: .image) }
    }

    func isContentValid(in sheet: ComposeSheet) -> Bool {
        sheet.charactersRemaining = Self.longest - sheet.contentText.count
        return sheet.contentText.count <= Self.longest && loaded.count == pictures(of: sheet).count
    }

    func configurationItems(in sheet: ComposeSheet) -> [ConfigurationItem] {
        let all = pictures(of: sheet).count
        return [
            ConfigurationItem(title: "Category", value: Self.categories[category], options: { Self.categories }) {
                [self] option in
                if Self.categories.indices.contains(option) { category = option }
            },
            ConfigurationItem(title: "Pictures", value: loaded.count == all ? "\(all)" : "\(loaded.count) of \(all)"),
        ]
    }

    /// Loads the pictures while the user types.
    func presentationAnimationDidFinish(in sheet: ComposeSheet) {
        for picture in pictures(of: sheet) {
            do {
                loaded.append(try picture.loadData(forType: .image).count)
                sheet.reloadConfigurationItems()
            } catch {
                return sheet.context.cancelRequest(with: error)
            }
        }
    }

    func didSelectPost(in sheet: ComposeSheet) {
        var post = ExtensionItem(contentText: sheet.contentText)
        post.userInfo = [
            "category": .string(Self.categories[category]), "pictures": .integer(Int64(loaded.count)),
            "bytes": .integer(Int64(loaded.reduce(0, +))),
        ]
        sheet.context.completeRequest(returning: [post])
    }
}
