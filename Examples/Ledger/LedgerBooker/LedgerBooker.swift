import AnnexExtension
import AnnexGroups
import LedgerKit

/// The action `Book`: each line of the selected text that begins with an amount becomes an entry. The answer states
/// the outcome for each line.
@main
final class LedgerBooker: AppExtension {
    func respond(to items: [ExtensionItem], context: ExtensionContext) async throws -> [ExtensionItem] {
        let lines = items.compactMap(\.contentText).flatMap { $0.split(whereSeparator: \.isNewline) }
        try await Ledger(in: AppGroup(Ledger.group)).add(lines.compactMap { LedgerEntry($0) })
        let answer = lines.map { line in LedgerEntry(line).map { "booked \($0)" } ?? "no amount: \(line)" }
        return [ExtensionItem(contentText: answer.joined(separator: "\n"))]
    }
}
