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

/// Counts the characters in its compose sheet. Meanwhile it loads the attachments.
final class Composing: ShareExtension {
    func presentationAnimationDidFinish(in sheet: ComposeSheet) async {
        guard let item = sheet.context.inputItems.first else { return }
        do {
            _ = try await Loading.load(item)
        } catch {
            sheet.context.cancelRequest(with: error)
        }
    }

    func isContentValid(in sheet: ComposeSheet) -> Bool {
        sheet.charactersRemaining = 200 - sheet.contentText.count
        return sheet.contentText.count <= 200
    }

    func didSelectPost(in sheet: ComposeSheet) { sheet.context.completeRequest(returning: []) }
}

/// Loads all attachments, and answers with the number of their bytes.
final class Loading: AppExtension {
    func respond(to items: [ExtensionItem], context: ExtensionContext) async throws -> [ExtensionItem] {
        guard let item = items.first else { return [] }
        return [ExtensionItem(userInfo: ["bytes": .integer(Int64(try await Self.load(item)))])]
    }

    /// The text of the item says in which form the attachments are loaded.
    static func load(_ item: ExtensionItem) async throws -> Int {
        item.contentText == "blocks" ? try loadAndWait(item.attachments) : try await loadInTasks(item.attachments)
    }

    private static func loadAndWait(_ attachments: [ItemProvider]) throws -> Int {
        try attachments.reduce(0) { $0 + (try $1.loadData(forType: .data)).count }
    }

    private static func loadInTasks(_ attachments: [ItemProvider]) async throws -> Int {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for attachment in attachments { group.addTask { try await attachment.loadData(forType: .data).count } }
            return try await group.reduce(0, +)
        }
    }
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
