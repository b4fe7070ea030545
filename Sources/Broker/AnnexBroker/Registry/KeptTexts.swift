internal import AnnexBrokerAPI
internal import AnnexBundle
internal import Synchronization

/// The names and summaries of the installed extensions in the languages of the last list. If a host lists the
/// extensions again, the broker need not read each bundle again.
final class KeptTexts: Sendable {
    private struct Texts {
        let name: String
        let summary: String?
    }

    private struct Table {
        var languages: [String] = []
        /// The texts by the number of the installation.
        var texts: [UInt64: Texts] = [:]
    }

    /// The most extensions in the table. One more extension clears the table, because each text can be read again.
    private static let most = 4_096

    private let table = Mutex(Table())

    /// The extension with its name and summary, in the first of `languages` for which the bundle has these texts.
    /// - Parameter read: reads the texts from the bundle; it returns nil if there is no bundle.
    func translated(
        _ one: InstalledExtension, for languages: [String], reading read: () -> BundleTexts?
    ) -> InstalledExtension {
        let kept = one.installation.flatMap { number in
            table.withLock { $0.languages == languages ? $0.texts[number] : nil }
        }
        guard let texts = kept ?? readAndKeep(of: one.installation, for: languages, reading: read) else { return one }
        var one = one
        one.displayName = texts.name
        one.summary = texts.summary
        return one
    }

    /// Texts are kept only if all files could be read. So a temporary lack of descriptors has no lasting effect.
    private func readAndKeep(
        of number: UInt64?, for languages: [String], reading read: () -> BundleTexts?
    ) -> Texts? {
        guard let bundle = read() else { return nil }
        let texts = Texts(name: bundle.name.text(for: languages), summary: bundle.summary?.text(for: languages))
        if bundle.isWhole, let number { keep(texts, of: number, for: languages) }
        return texts
    }

    private func keep(_ texts: Texts, of number: UInt64, for languages: [String]) {
        table.withLock { table in
            if table.languages != languages || table.texts.count >= Self.most { table = Table(languages: languages) }
            table.texts[number] = texts
        }
    }
}
