// Writes to a ledger in its app group. The words of a request's text are the group and the number of entries.
import AnnexExtension
import AnnexGroups
import Ledgers

final class KeepsALedger: AppExtension {
    func beginRequest(with context: ExtensionContext) {
        let words = (context.inputItems.first?.contentText ?? "").split(separator: " ").map(String.init)
        context.completeRequest {
            let ledger = try Ledger(at: AppGroup(words[0]).path + "/ledger.db")
            try ledger.add(Int(words[1]) ?? 0, by: "extension")
            return [ExtensionItem(contentText: try ledger.summary())]
        }
    }
}
