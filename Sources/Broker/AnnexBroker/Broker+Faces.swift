package import AnnexBrokerAPI
internal import AnnexBundle
package import AnnexModel
internal import AnnexRegistry
internal import AnnexSigning

/// The names, summaries, icons and other parts of extensions that hosts show to users. The broker reads them from the
/// bundles when a host asks for them. It keeps only the names and summaries.
extension Broker {
    package func extensions(in languages: [String]) -> [InstalledExtension] {
        list(after: "", withDisabled: false, in: languages, most: .max).page
    }

    package func installed(in languages: [String]) -> [InstalledExtension] {
        list(after: "", withDisabled: true, in: languages, most: .max).page
    }

    /// The installed extensions in the order of their identifiers.
    ///
    /// - Parameters:
    ///   - last: the last identifier that the caller already has. With "", the list begins at the first extension.
    ///   - withDisabled: whether the list contains extensions that no host can begin.
    ///   - languages: the user's languages for names and summaries; nil for the names in `Info.plist` alone.
    ///   - most: the most extensions on one page.
    package func list(
        after last: String, withDisabled: Bool, in languages: [String]?, most: Int
    ) -> (page: [InstalledExtension], isAll: Bool) {
        let registry = registry.value
        let records = (withDisabled ? registry.installed : registry.offered).filter {
            last.isEmpty || $0.identifier > last
        }
        let page = records.prefix(most).map { record in
            let one = record.described(in: registry)
            return languages.map { texts.translated(one, for: $0) { registry.texts(of: record) } } ?? one
        }
        return (signatures.named(page), records.count <= most)
    }

    package func icon(of identifier: String) throws(BrokerError) -> ExtensionIcon? {
        try face(of: identifier).icon().map { picture throws(BrokerError) in try ExtensionIcon(picture) }
    }

    /// A part of an extension's icon; nil if the extension has no icon.
    package func iconPart(of identifier: String, from offset: UInt64) throws(BrokerError) -> IconPart? {
        try face(of: identifier).icon().map { picture in
            IconPart(of: picture, digest: Digest(ofFile: picture.bytes).bytes, from: offset)
        }
    }

    package func attributes(of identifier: String) throws(BrokerError) -> [String: ItemValue] {
        try face(of: identifier).attributes()
    }

    package func typeDeclarations(of identifier: String) throws(BrokerError) -> [String: ItemValue] {
        try face(of: identifier).typeDeclarations()
    }

    private func face(of identifier: String) throws(BrokerError) -> ExtensionFace {
        try ExtensionFace(of: found(identifier), in: registry.value)
    }
}

extension Registry {
    /// The name and the summary of an extension in all languages. The result is nil if its bundle breaks a rule of
    /// packaging.
    fileprivate func texts(of record: ExtensionRecord) -> BundleTexts? {
        guard let bundle = record.bundle else { return nil }
        return app(carrying: record)?.texts(of: bundle)
    }
}
