import AnnexExtension
import AnnexGroups
import LedgerKit

/// The action `Sum up`: answers with the total of the ledger.
@main
final class LedgerSummer: AppExtension {
    func respond(to items: [ExtensionItem], context: ExtensionContext) async throws -> [ExtensionItem] {
        [ExtensionItem(contentText: try await Ledger(in: AppGroup(Ledger.group)).total())]
    }
}
