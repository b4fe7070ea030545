import AnnexExtension

/// Draws the shape of a text: five rows of sixteen marks, one for each letter or gap at the text's start.
@main
final class TextThumbnail: AppExtension {
    func beginRequest(with context: ExtensionContext) {
        context.completeRequest {
            let document = context.inputItems.first?.attachments.first
            let bytes = try document?.loadData(forType: .plainText, limit: 1 << 20) ?? []
            let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            let rows = lines.prefix(5).map { line in
                String(line.prefix(16).map { $0 == UInt8(ascii: " ") ? "·" as Character : "▪" })
            }
            return [ExtensionItem(contentText: rows.joined(separator: "\n"))]
        }
    }
}
