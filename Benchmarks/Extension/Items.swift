import AnnexExtension
import CBenchDriver

/// The driver's half of the work for extensions that get its bytes in an item. Each request has its own principal object. All principal
/// objects share this server.
private enum ItemAnswers {
    // SAFETY: an extension has one thread.
    private nonisolated(unsafe) static let server = Server()

    static func answer(_ items: [ExtensionItem]) -> [ExtensionItem] {
        guard let bytes = items.first?.userInfo["bytes"]?.data else { return [] }
        return [ExtensionItem(userInfo: ["bytes": .data(server.answer(bytes))])]
    }
}

/// Answers in the synchronous form.
final class Beginning: AppExtension {
    func beginRequest(with context: ExtensionContext) {
        context.completeRequest(returning: ItemAnswers.answer(context.inputItems))
    }
}

/// Answers in the asynchronous form, which awaits a function that has its result at once.
final class Awaiting: AppExtension {
    func respond(to items: [ExtensionItem], context: ExtensionContext) async throws -> [ExtensionItem] {
        await answer(items)
    }

    // If this function were inlined, the `await` would vanish.
    @inline(never) private func answer(_ items: [ExtensionItem]) async -> [ExtensionItem] { ItemAnswers.answer(items) }
}

/// Answers in the asynchronous form, after its task was suspended and resumed once.
final class Yielding: AppExtension {
    func respond(to items: [ExtensionItem], context: ExtensionContext) async throws -> [ExtensionItem] {
        await Task.yield()
        return ItemAnswers.answer(items)
    }
}

/// Counts the characters in its compose sheet.
final class Composing: ShareExtension {
    func isContentValid(in sheet: ComposeSheet) -> Bool {
        sheet.charactersRemaining = 200 - sheet.contentText.count
        return sheet.contentText.count <= 200
    }

    func didSelectPost(in sheet: ComposeSheet) { sheet.context.completeRequest(returning: []) }
}

/// Reads the attachment in pieces, and answers with the sum of the first word of each page.
final class Reading: AppExtension {
    func beginRequest(with context: ExtensionContext) {
        context.completeRequest {
            var sum: UInt64 = 0
            var bytes: Int64 = 0
            try context.inputItems.first?.attachments.first?.loadItem(forType: .data).forEachChunk { piece in
                piece.withUnsafeBytes { sum &+= bench_pages_sum($0.baseAddress, $0.count) }
                bytes += Int64(piece.byteCount)
                return true
            }
            return [ExtensionItem(userInfo: ["sum": .integer(Int64(bitPattern: sum)), "bytes": .integer(bytes)])]
        }
    }
}
