/// A text of a bundle in all its languages, such as the name to show.
///
/// ```swift
/// let name = app.texts().name.text(for: ["de-AT", "en"])
/// ```
public struct LocalizedText: Sendable, Hashable {
    /// The text in `Info.plist`. Users see it if no translation serves them.
    public let text: String
    /// The translations by language, such as `de` or `zh-hans`, in lower case and with hyphens. The key `base` holds
    /// the translation for users whose language has no translation.
    ///
    /// There are at most 64 languages, with at most 16 KiB of text in all.
    public let translations: [String: String]
    /// `CFBundleDevelopmentRegion`: the language of the bundle's author, in the same form as the languages of
    /// `translations`. Nil if the key is missing.
    public let developmentLanguage: String?

    package init(_ text: String, translations: [String: String] = [:], developmentLanguage: String? = nil) {
        self.text = text
        self.translations = translations
        self.developmentLanguage = developmentLanguage.map(LanguageTag.normalized)
    }

    /// The text for a user.
    ///
    /// The first of the user's languages that has a text is used. A translation for `de` also serves `de-AT`. For the
    /// author's language, the text in `Info.plist` serves if there is no translation. If none of the user's languages
    /// has a text, the translation for the author's language is used, then `Base`, then `Info.plist`.
    /// - Parameter languages: the user's languages in the order of preference, for example `de-AT`, `de_AT.UTF-8` or
    ///   `de`. Only the first 32 count.
    public func text(for languages: [String]) -> String {
        for language in languages.prefix(32) {
            let chain = LanguageTag.chain(from: language)
            if let found = chain.lazy.compactMap({ translations[$0] }).first { return found }
            // The text of `Info.plist` is in the author's language. So users of that language get this text if there
            // is no translation for them.
            if let developmentLanguage, chain.contains(developmentLanguage) { return text }
        }
        let author = developmentLanguage.flatMap { translations[$0] }
        return author ?? translations[LanguageTag.base] ?? text
    }
}

/// The names of languages, as the folders of translations and the environment variables spell them.
package enum LanguageTag {
    /// The name of the folder for users whose language has no folder.
    static let base = "base"
    private static let longest = 64

    /// The English names of languages, which old bundles use, and the codes of these languages.
    private static let words = [
        "english": "en", "french": "fr", "german": "de", "japanese": "ja", "spanish": "es", "italian": "it",
        "dutch": "nl",
    ]

    /// The script of Chinese in each region. Chinese is written in two scripts.
    private static let scripts = [
        "zh-cn": "zh-hans", "zh-sg": "zh-hans", "zh-tw": "zh-hant", "zh-hk": "zh-hant", "zh-mo": "zh-hant",
    ]

    /// The language in lower case with hyphens, without the encoding that may follow it: `de_AT.UTF-8` becomes `de-at`.
    package static func normalized(_ language: String) -> String {
        let name = language.prefix { $0 != "." && $0 != "@" }.prefix(longest)
        let plain = name.lowercased().replacing("_", with: "-")
        return words[plain] ?? plain
    }

    /// The language, then the languages that also serve its users, the closest first: `zh-tw`, `zh-hant`, `zh`.
    static func chain(from language: String) -> [String] {
        var chain: [String] = []
        var rest = normalized(language)
        while !rest.isEmpty {
            chain.append(rest)
            if let script = scripts[rest] { chain.append(script) }
            guard let end = rest.lastIndex(of: "-") else { break }
            rest = String(rest[..<end])
        }
        return chain
    }
}
