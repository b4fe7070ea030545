import AnnexExtension

/// Translates a text word by word, from English to German. Unknown words stay as they are.
@main
final class Translate: AppExtension {
    private static let words = [
        "good": "guten", "morning": "Morgen", "evening": "Abend", "the": "der", "dog": "Hund", "and": "und",
        "cat": "Katze", "house": "Haus", "water": "Wasser", "thank": "danke", "yes": "ja", "no": "nein",
    ]

    func respond(to items: [ExtensionItem], context: ExtensionContext) async throws -> [ExtensionItem] {
        let text = items.first?.contentText ?? ""
        let translated = text.split(separator: " ", omittingEmptySubsequences: false).map { word in
            Self.words[word.lowercased()] ?? String(word)
        }
        return [ExtensionItem(contentText: translated.joined(separator: " "))]
    }
}
