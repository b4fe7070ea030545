// Opens URLs. Each word of a request's text is a URL. The answer has a word or an error for each URL.
import AnnexExtension
import AnnexGroups

final class OpensUrls: AppExtension {
    func respond(to items: [ExtensionItem], context: ExtensionContext) async throws -> [ExtensionItem] {
        var answers: [String] = []
        for url in (items.first?.contentText ?? "").split(separator: " ") {
            do throws(PortalError) {
                answers.append(try await context.open(String(url)))
            } catch {
                answers.append("\(error.code)")
            }
        }
        return [ExtensionItem(contentText: answers.joined(separator: " "))]
    }
}
