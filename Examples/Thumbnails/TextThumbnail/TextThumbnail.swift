import AnnexExtension

/// Draws the shape of a text: a row of marks for each of its first five lines. A mark stands for one of the first
/// sixteen letters or gaps of the line.
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
