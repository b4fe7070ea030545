import AnnexExtension
import PodcastKit

/// The action `Get`: it begins the download of the episode that a URL names, and ends at once. The daemon carries the
/// download on.
@main
final class PodcastGetter: AppExtension {
    func respond(to items: [ExtensionItem], context: ExtensionContext) async throws -> [ExtensionItem] {
        let links = items.flatMap(\.attachments).filter { $0.hasItemConforming(to: .url) }
        var answers: [ExtensionItem] = []
        for link in links {
            let url: ItemURL = try await link.loadObject()
            answers.append(ExtensionItem(contentText: "getting \(try await Shelf().get(url.string))"))
        }
        return answers
    }
}
