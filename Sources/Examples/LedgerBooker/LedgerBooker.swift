import AnnexExtension
import LedgerKit

/// The action `Book`: each line of the selected text that begins with an amount becomes an entry.
@main
final class LedgerBooker: AppExtension {
    func beginRequest(with context: ExtensionContext) {
        let lines = context.inputItems.compactMap(\.contentText).flatMap { $0.split(separator: "\n").map(String.init) }
        context.completeRequest {
            let ledger = try Ledger()
            let entries = lines.compactMap { LedgerEntry($0) }
            for entry in entries { try ledger.add(entry) }
            return [ExtensionItem(contentText: "booked \(entries.count)")]
        }
    }
}
