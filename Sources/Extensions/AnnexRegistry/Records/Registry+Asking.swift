package import AnnexBundle

/// Questions about the installed apps and extensions.
extension Registry {
    /// The record of an app, with the user's choices; nil if the app is not installed.
    package func known(_ app: String) -> KnownApp? {
        guard let entry = apps[Self.folded(app)] else { return nil }
        let chosen = entry.records.compactMap { record in
            choices[Self.folded(record.identifier)].map { (record.identifier, $0) }
        }
        return KnownApp(
            entry.known.identifier, elected: entry.known.elected, others: entry.known.others,
            pinned: entry.known.pinned, choices: Dictionary(chosen) { first, _ in first },
            grants: granted(to: entry.records))
    }

    /// The builds of an app, without the user's choices about its extensions; nil if the app is not installed.
    package func builds(of app: String) -> KnownApp? { apps[Self.folded(app)]?.known }

    /// The identifiers of all apps, sorted.
    package var appIdentifiers: [String] { apps.values.map(\.known.identifier).sorted() }

    /// The record of an extension that keeps the rules of packaging; nil if the extension is not installed.
    package func record(_ identifier: String) -> ExtensionRecord? { extensions[Self.folded(identifier)] }

    /// The record of an extension, whatever its verdict.
    ///
    /// - Throws: `unknownExtension` if no installed app carries the extension.
    package func found(_ identifier: String) throws(RegistryError) -> ExtensionRecord {
        if let record = record(identifier) ?? broken(identifier) { return record }
        throw .unknownExtension(identifier, installed: offered.map(\.identifier))
    }

    /// Finds an extension whose bundle was rejected. `name` is the extension's name in the list, or the identifier that
    /// its bundle states.
    private func broken(_ name: String) -> ExtensionRecord? {
        let key = Self.folded(name)
        return apps.values.lazy.flatMap(\.records).first { record in
            record.bundle == nil
                && (Self.folded(record.identifier) == key || record.statedIdentifier.map(Self.folded) == key)
        }
    }

    /// Whether the extension is on, as the user chose. If the user has not chosen, the default of the extension's
    /// point counts.
    package func isEnabled(_ identifier: String) -> Bool {
        choices[Self.folded(identifier)] ?? record(identifier)?.isOnByDefault ?? true
    }

    /// The bundles of an app's extensions that keep the rules of packaging, in the app's version in use.
    package func bundles(of app: String) -> [ExtensionBundle] {
        apps[Self.folded(app)]?.records.compactMap(\.bundle) ?? []
    }

    /// The checked bundle of the app that carries an extension, in the app's version in use; nil if the app was
    /// removed.
    package func app(carrying record: ExtensionRecord) -> AppBundle? {
        apps[Self.folded(record.info.containingApp)]?.app
    }

    /// The version in use of each app, sorted by the app's identifier.
    package var bundlesInUse: [AppBundle] { apps.values.map(\.app).sorted { $0.identifier < $1.identifier } }

    /// The apps whose version in use registers a URL scheme, sorted by identifier.
    /// - Parameter scheme: in lower case.
    package func apps(registering scheme: String) -> [AppBundle] {
        bundlesInUse.filter { $0.urlSchemes.contains(scheme) }
    }

    package func count(ofExtensionsBeside app: String) -> Int {
        apps.reduce(0) { sum, entry in
            entry.key == Self.folded(app) ? sum : sum + entry.value.records.count { $0.bundle != nil }
        }
    }

    /// All extensions of the versions in use, sorted by identifier.
    package var installed: [ExtensionRecord] {
        apps.values.flatMap(\.records).sorted { $0.identifier < $1.identifier }
    }

    /// The extensions that hosts can begin, sorted by identifier.
    package var offered: [ExtensionRecord] {
        installed.filter { $0.verdict == .offered && isEnabled($0.identifier) }
    }
}
