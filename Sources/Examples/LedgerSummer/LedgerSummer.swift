import AnnexExtension
import LedgerKit

/// The action `Sum up`: answers with the total of the ledger.
@main
final class LedgerSummer: AppExtension {
    func beginRequest(with context: ExtensionContext) {
        context.completeRequest { [ExtensionItem(contentText: try Ledger().total())] }
    }
}
