// Loads the attachments of its first item. The first word of the item's text says what the extension does.
import AnnexExtension

final class LoadsItems: AppExtension {
    /// An attachment of an earlier request.
    private nonisolated(unsafe) static var kept: ItemProvider?

    func beginRequest(with context: ExtensionContext) {
        let words = (context.inputItems.first?.contentText ?? "").split(separator: " ").map(String.init)
        let attachments = context.inputItems.first?.attachments ?? []
        context.completeRequest {
            switch words.first {
            case "loads":
                [ExtensionItem(contentText: try loads(words.dropFirst().compactMap { Int($0) }, of: attachments))]
            case "counts": [ExtensionItem(contentText: "\(context.inputItems.count) \(attachments.count)")]
            case "sums": [ExtensionItem(contentText: try sums(attachments))]
            case "watches": [ExtensionItem(contentText: watches(attachments))]
            case "hurries": [ExtensionItem(contentText: hurries(attachments))]
            case "keeps": [ExtensionItem(contentText: keeps(attachments.first))]
            case "edits":
                [ExtensionItem(contentText: edits(attachments, adding: words.dropFirst().joined(separator: " ")))]
            case "forms": [try forms(attachments)]
            case "multiplies": (0..<(Int(words[1]) ?? 0)).map { ExtensionItem(contentText: "item \($0) " + padding) }
            default: [ExtensionItem(contentText: "no such conduct")]
            }
        }
    }

    private var padding: String { String(repeating: "x", count: 100) }

    private func loads(_ places: [Int], of attachments: [ItemProvider]) throws -> String {
        try places.map { try attachments[$0].loadObject(ofType: String.self) }.joined(separator: ",")
    }

    /// Reads all attachments in pieces.
    private func sums(_ attachments: [ItemProvider]) throws -> String {
        var (bytes, sum, pieces) = (0, UInt64(0), 0)
        try attachments.first?.loadItem(forType: .data).forEachChunk { piece in
            bytes += piece.byteCount
            for offset in stride(from: 0, to: piece.byteCount, by: 4096) {
                sum &+= UInt64(piece.unsafeLoad(fromByteOffset: offset, as: UInt8.self))
            }
            pieces += 1
            return true
        }
        return "\(bytes) \(sum) \(pieces)"
    }

    /// Loads with progress reports, and cancels at nine tenths.
    private func watches(_ attachments: [ItemProvider]) -> String {
        var seen: [Double] = []
        do {
            let item = try attachments.first?.loadItem(forType: .data) { progress in
                if progress != seen.last { seen.append(progress) }
                return progress < 0.9
            }
            return "loaded \(String(decoding: try item?.load() ?? [], as: UTF8.self)) \(seen)"
        } catch {
            return "\(error) \(seen)"
        }
    }

    private func hurries(_ attachments: [ItemProvider]) -> String {
        do {
            _ = try attachments.first?.loadItem(forType: .data, timeout: .milliseconds(50))
            return "loaded"
        } catch {
            return "\(error)"
        }
    }

    /// Keeps an attachment, and loads the attachment that was kept before.
    private func keeps(_ attachment: ItemProvider?) -> String {
        defer { Self.kept = attachment }
        guard let kept = Self.kept else { return "kept" }
        do {
            return "loaded \(try kept.loadData(forType: .data).count)"
        } catch {
            return "\(error)"
        }
    }

    /// Makes a new version of the first attachment. The version has the old text and then the new text.
    private func edits(_ attachments: [ItemProvider], adding text: String) -> String {
        do {
            guard let contents = attachments.first?.contents else { return "no attachment" }
            let version = try contents.beginVersion()
            try version.write(try contents.load())
            try version.write(Array(text.utf8))
            if text == "and waits" { _ = try attachments[1].loadData(forType: .data) }
            if text == "and leaves" { return "left" }
            try version.commit()
            // The host owns the new file now. Later writes go to a file that nothing uses.
            try version.write(Array("too late".utf8))
            return "committed"
        } catch {
            return "\(error)"
        }
    }

    /// An answer in two representations. The first is of the form that was requested first.
    private func forms(_ attachments: [ItemProvider]) throws -> ExtensionItem {
        let text = try attachments.first?.loadObject(ofType: String.self) ?? ""
        let answer = ItemProvider(
            ItemRepresentation(try ItemContents(bytes: Array("<b>\(text)</b>".utf8)), types: [.html]),
            alternatives: ItemRepresentation(try ItemContents(bytes: Array(text.utf8)), types: [.utf8PlainText]),
            suggestedName: "answer")
        return ExtensionItem(attachments: [answer])
    }
}
