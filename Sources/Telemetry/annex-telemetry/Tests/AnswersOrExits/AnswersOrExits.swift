import AnnexExtension
import Glibc

/// Answers each request, and exits if the text says so.
@main
final class AnswersOrExits: AppExtension {
    func beginRequest(with context: ExtensionContext) {
        if context.inputItems.first?.contentText == "exits" { exit(3) }
        context.completeRequest(returning: context.inputItems)
    }
}
