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
        try picture(of: identifier).map { picture throws(BrokerError) in try ExtensionIcon(picture) }
    }

    /// A part of an extension's icon; nil if the extension has no icon.
    package func iconPart(of identifier: String, from offset: UInt64) throws(BrokerError) -> IconPart? {
        try picture(of: identifier).map { picture in
            IconPart(of: picture, digest: Digest(ofFile: picture.bytes).bytes, from: offset)
        }
    }

    private func picture(of identifier: String) throws(BrokerError) -> IconPicture? {
        let (app, bundle) = try carried(identifier)
        return try Self.reading(identifier) { () throws(BundleError) in
            guard let icon = try app.icon(for: bundle) else { return nil }
            return IconPicture(
                bytes: try icon.bytes(), width: icon.width, height: icon.height, isTemplate: icon.isTemplate)
        }
    }

    package func attributes(of identifier: String) throws(BrokerError) -> [String: ItemValue] {
        let (_, bundle) = try carried(identifier)
        let values = try Self.reading(identifier) { () throws(BundleError) in
            try bundle.attributes().mapValues(ItemValue.init)
        }
        return try Self.carried(values, of: identifier, named: "its NSExtensionAttributes")
    }

    package func typeDeclarations(of identifier: String) throws(BrokerError) -> [String: ItemValue] {
        let (app, _) = try carried(identifier)
        let values = try Self.reading(identifier) { () throws(BundleError) in
            try app.typeDeclarations().mapValues(ItemValue.init)
        }
        return try Self.carried(values, of: identifier, named: "the types that its app declares")
    }

    /// - Throws: a `BrokerError` if the values do not fit into a packet.
    private static func carried(
        _ values: [String: ItemValue], of identifier: String, named name: String
    ) throws(BrokerError) -> [String: ItemValue] {
        guard ServiceWire.carries(attributes: values) else {
            throw BrokerError(
                .invalidBundle, what: "\(name) are too long, or nested too deeply, for a host",
                place: identifier, remedy: "keep them below 100 KiB and 16 levels")
        }
        return values
    }

    /// The bundles of an extension and of its app. The extension may be switched off, or name an unknown point.
    private func carried(_ identifier: String) throws(BrokerError) -> (app: AppBundle, bundle: ExtensionBundle) {
        let record = try found(identifier)
        guard let bundle = record.bundle, let app = registry.value.app(carrying: record) else {
            throw record.rejection
                ?? BrokerError(.unknownExtension, what: "is not installed any more", place: identifier)
        }
        return (app, bundle)
    }

    private static func reading<Result>(
        _ identifier: String, _ body: () throws(BundleError) -> Result
    ) throws(BrokerError) -> Result {
        do throws(BundleError) {
            return try body()
        } catch {
            throw BrokerError(
                .invalidBundle, what: "\(error.place): \(error.what) (\(error.rule.rawValue))", place: identifier,
                remedy: error.remedy)
        }
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
